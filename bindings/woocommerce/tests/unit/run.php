<?php

// Runs the tests of the plugin's classes with PHP alone: `php tests/unit/run.php`.

declare(strict_types=1);

require __DIR__ . '/bootstrap.php';

$GLOBALS['tests'] = [];

function test(string $name, callable $run): void
{
    $GLOBALS['tests'][$name] = $run;
}

function equal(mixed $actual, mixed $expected): void
{
    if ($actual !== $expected) {
        throw new Exception('expected ' . var_export($expected, true) . ', got ' . var_export($actual, true));
    }
}

function contains(string $text, string $part): void
{
    if (!str_contains($text, $part)) {
        throw new Exception("expected \"$part\" in \"$text\"");
    }
}

// The classes log rejected requests.
ini_set('error_log', PHP_OS_FAMILY === 'Windows' ? 'NUL' : '/dev/null');
set_error_handler(static fn (int $level, string $text, string $file, int $line) => throw new ErrorException($text, 0, $level, $file, $line));
foreach (glob(__DIR__ . '/*_test.php') as $file) {
    require $file;
}
$failed = 0;
foreach ($GLOBALS['tests'] as $name => $run) {
    $GLOBALS['options'] = $GLOBALS['transients'] = $GLOBALS['rows'] = $GLOBALS['hooks'] = [];
    try {
        $run();
    } catch (Throwable $error) {
        $failed++;
        echo "FAILED $name: {$error->getMessage()} ({$error->getFile()}:{$error->getLine()})\n";
    }
}
echo count($GLOBALS['tests']) - $failed . " passed, $failed failed\n";
exit($failed === 0 && $GLOBALS['tests'] !== [] ? 0 : 1);
