// Appended to the PHP of bindings/RECIPES.md: uses each function, and prints the results as JSON.
$given = json_decode(file_get_contents('input.json'), true);
[$first, $again] = [createOrder($given['order']), createOrder($given['order'])];
try {
    $rejected = createOrder($given['invalid']);
} catch (DespachoError $error) {
    $rejected = [$error->status, $error->problem['code'], count($error->problem['errors'])];
}
$delayed = [delayOrder($first['id'], 7, $given['key']), delayOrder($first['id'], 7, $given['key'])];
$listed = array_map(fn($one) => $one['id'], iterator_to_array(orders(2), false));
$types = [];
$position = null;
readEvents('0', function ($event) use (&$types) { $types[] = $event['type']; }, function ($next) use (&$position) { $position = $next; }, 2);
$statuses = array_map(fn($one) => receive($given['secret'], $one['headers'], base64_decode($one['body'])), $given['messages']);
$created = [$first['id'], $again['id']];
echo json_encode(compact('created', 'rejected', 'delayed', 'listed', 'types', 'position', 'statuses')), "\n";
