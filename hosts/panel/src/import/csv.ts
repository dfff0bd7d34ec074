/** Reads CSV files as spreadsheets write them: with `;` or `,`, quotes, and UTF-8 with or without a byte order mark. */

export const MAX_ROWS = 200;
/** Limits the memory of the page; 200 rows with every column at its maximum are smaller. */
export const MAX_BYTES = 1_000_000;

/** Decodes a file. Spreadsheets without UTF-8 write windows-1252. */
export function decodeFile(bytes: ArrayBuffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

/** A record with the number of its first line. */
export interface CsvRecord {
  line: number;
  cells: string[];
}

/** Splits a text into records without the empty ones. The first line decides whether `;`, a tab or `,` separates cells. */
export function parseCsv(source: string): CsvRecord[] {
  const text = source.replace(/^\uFEFF/, "").replace(/\r\n?/g, "\n");
  const first = text.slice(0, (text.indexOf("\n") + 1 || text.length + 1) - 1);
  const separator = [";", "\t", ","].find((one) => first.includes(one)) ?? ";";
  const records: CsvRecord[] = [];
  let [cells, cell, quoted, line, begin]: [string[], string, boolean, number, number] = [[], "", false, 1, 1];
  const endRecord = () => {
    cells.push(cell.trim());
    if (cells.some((one) => one !== "")) records.push({ line: begin, cells });
    [cells, cell] = [[], ""];
  };
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] ?? "";
    if (character === "\n") line += 1;
    if (quoted) {
      if (character !== '"') cell += character;
      else if (text[at + 1] === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (character === '"' && cell.trim() === "") {
      [cell, quoted] = ["", true];
    } else if (character === separator) {
      cells.push(cell.trim());
      cell = "";
    } else if (character === "\n") {
      endRecord();
      begin = line;
    } else cell += character;
  }
  endRecord();
  return records;
}

/** Writes records with `;`, which spreadsheets in Brazil expect. */
export function writeCsv(records: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => cells.map((cell) => (/[";\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(";");
  return `${records.map(line).join("\r\n")}\r\n`;
}

/** Returns a file whose accents spreadsheets read correctly. */
export const csvFile = (text: string): Blob => new Blob([`\uFEFF${text}`], { type: "text/csv;charset=utf-8" });
