/** Reads CSV files as spreadsheets write them: with `;`, a tab, `,` or `|`, quotes, a `sep=` line, and UTF-8, UTF-16 or windows-1252. */

import Papa from "papaparse";

export const MAX_ROWS = 200;
/** Limits the memory of the page; 200 rows with every column at its maximum are smaller. */
export const MAX_BYTES = 1_000_000;

const SAMPLE_BYTES = 4_096;

/** Returns the encoding of a file. Texts of Western languages in UTF-16 contain a zero in nearly every character. */
function encodingOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return "utf-16le";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  const zeros = [0, 0];
  for (const [at, byte] of sample.entries()) if (byte === 0) zeros[at % 2]! += 1;
  if (Math.max(...zeros) * 4 < sample.length) return "utf-8";
  return zeros[1]! > zeros[0]! ? "utf-16le" : "utf-16be";
}

/** Decodes a file. Old spreadsheets write windows-1252. */
export function decodeFile(bytes: ArrayBuffer): string {
  const encoding = encodingOf(new Uint8Array(bytes));
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder(encoding === "utf-8" ? "windows-1252" : encoding).decode(bytes);
  }
}

/** A record with the number of its first line. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

export interface CsvFile {
  separator: string;
  /** The records without the empty ones. */
  records: CsvRecord[];
  /** The line with the quote of a cell that is not closed, or after whose closing quote text follows. Null without one. */
  brokenQuote: number | null;
}

/** A first line with which spreadsheets are told the separator. It is no record. */
const SEPARATOR_LINE = /^"?sep=(.)"?[;,\t|]*(\n|$)/i;
const SEPARATORS = [";", "\t", ",", "|"] as const;

/** The first line names the separator or contains it. */
function separatorOf(text: string): { separator: string; start: number } {
  const named = SEPARATOR_LINE.exec(text);
  if (named !== null) return { separator: named[1]!, start: named[0].length };
  const line = text.slice(0, (text.indexOf("\n") + 1 || text.length + 1) - 1);
  return { separator: SEPARATORS.find((one) => line.includes(one)) ?? ";", start: 0 };
}

const lineBreaks = (text: string) => text.split("\n").length - 1;

export function parseCsv(source: string): CsvFile {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const { separator, start } = separatorOf(text);
  const body = text.slice(start);
  const records: CsvRecord[] = [];
  let [line, at]: [number, number] = [1 + lineBreaks(text.slice(0, start)), 0];
  let brokenQuote: number | null = null;
  let width: number | null = null;
  Papa.parse<string[]>(body, {
    delimiter: separator,
    newline: "\n",
    step: ({ data, errors, meta }) => {
      const cells = data.map((cell) => cell.trim());
      const lines = lineBreaks(body.slice(at, meta.cursor));
      const isFilled = cells.some((cell) => cell !== "");
      if (isFilled) width ??= cells.length;
      // A quote that is not closed ends at the next one, in another record. The cell then contains cells, or a cell is missing.
      const broken = data.filter((cell) => cell.includes("\n"));
      const isMerged =
        broken.some((cell) => cell.slice(cell.indexOf("\n")).includes(separator)) ||
        (broken.length > 0 && cells.length !== width);
      if (brokenQuote === null && (isMerged || errors.some((error) => error.type === "Quotes")))
        brokenQuote = line;
      if (isFilled) records.push({ line, cells });
      [line, at] = [line + lines, meta.cursor];
    },
  });
  return { separator, records, brokenQuote };
}

/** Writes records that [`parseCsv`] reads. */
export const writeCsv = (records: readonly (readonly string[])[], separator = ";"): string =>
  `${SEPARATORS.some((one) => one === separator) ? "" : `sep=${separator}\r\n`}${Papa.unparse(
    records.map((cells) => [...cells]),
    { delimiter: separator, newline: "\r\n" },
  )}\r\n`;

/** Returns a file whose accents spreadsheets read correctly. */
export const csvFile = (text: string): Blob =>
  new Blob([`\uFEFF${text}`], { type: "text/csv;charset=utf-8" });
