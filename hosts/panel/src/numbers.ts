/** Numbers as people in Brazil type them and as spreadsheets write them. */

type Mark = "," | ".";

/** A number that was read from a text. */
interface Reading {
  value: number;
  /** The decimal mark that the text proves, or null if it has none or can be read in two ways. */
  mark: Mark | null;
  /** The value if the only mark separates thousands: `1.200` is 1.2 or 1200. Null if there is one reading. */
  grouped: number | null;
  /** The only mark of a number with two readings. */
  only: Mark | null;
}

const other = (mark: Mark): Mark => (mark === "," ? "." : ",");

/** Whether digits are separated into thousands by a mark. */
const isGrouped = (digits: string, mark: Mark) =>
  (mark === "." ? /^\d{1,3}(\.\d{3})+$/ : /^\d{1,3}(,\d{3})+$/).test(digits);

/** Reads digits with decimal and thousands marks, or returns null. */
function read(text: string): Reading | null {
  // Some spreadsheets separate thousands with a narrow space.
  const bare = text.trim().replace(/(?<=\d)[ \u00A0\u202F](?=\d{3}(?!\d))/g, "");
  const sign = /^[+-]?/.exec(bare)![0];
  const digits = bare.slice(sign.length);
  const found = (
    plain: string,
    mark: Mark | null,
    grouped: number | null = null,
    only: Mark | null = null,
  ): Reading | null =>
    /^(\d+\.?\d*|\.\d+)$/.test(plain) ? { value: Number(sign + plain), mark, grouped, only } : null;
  const marks = [...digits].filter(
    (character): character is Mark => character === "," || character === ".",
  );
  const last = marks.at(-1);
  if (last === undefined) return found(digits, null);
  const at = digits.lastIndexOf(last);
  const [whole, fraction] = [digits.slice(0, at), digits.slice(at + 1)];
  if (marks.length === 1) {
    if (/^[1-9]\d{0,2}$/.test(whole) && fraction.length === 3)
      return found(`${whole}.${fraction}`, null, Number(sign + whole + fraction), last);
    return found(`${whole}.${fraction}`, last);
  }
  if (marks.every((mark) => mark === last))
    return isGrouped(digits, last) ? found(digits.replaceAll(last, ""), other(last)) : null;
  if (marks.filter((mark) => mark === last).length > 1 || !isGrouped(whole, other(last)))
    return null;
  return found(`${whole.replaceAll(other(last), "")}.${fraction}`, last);
}

/** Returns other text unchanged, so that the API reports it. */
const unread = (text: string) => text.trim() as unknown as number;

/** Reads a number with a decimal comma or point. `1.200` is 1.2, because measures have thousandths. */
export function decimal(text: string): number | undefined {
  return text.trim() === "" ? undefined : (read(text)?.value ?? unread(text));
}

/** Removes the sign of the real. Other currencies stay, so that they are reported. */
const withoutCurrency = (text: string) =>
  text
    .trim()
    .replace(/^([+-]?)\s*(?:R\$|BRL)\s*|\s*(?:R\$|BRL|reais)$/gi, "$1")
    .trim();

/** Reads an amount in reais, such as `R$ 1.200,50`. It has at most two decimals, so `1.200` and `1,200` are 1200. */
export function amount(text: string): number | undefined {
  const bare = withoutCurrency(text);
  if (bare === "") return text.trim() === "" ? undefined : unread(text);
  const reading = read(bare);
  return reading === null ? unread(text) : (reading.grouped ?? reading.value);
}

/** The decimal mark of a file, or null if it is not certain. */
export type FileMark = Mark | null;

/** Returns the decimal mark that the numbers of a file prove, or else the one that belongs to its separator. */
export function markOf(numbers: readonly string[], separator: string): FileMark {
  const proven = new Set(numbers.flatMap((text) => read(withoutCurrency(text))?.mark ?? []));
  if (proven.size > 0) return proven.size === 1 ? [...proven][0]! : null;
  // Where numbers have a decimal comma, a comma cannot also separate cells.
  return separator === ";" ? "," : separator === "," ? "." : null;
}

/** Returns a cell as a text that [`amount`] reads in one way, or null if the file does not show whether it means thousands. */
export function amountCell(text: string, mark: FileMark): string | null {
  const reading = read(withoutCurrency(text));
  if (reading === null || reading.only === null) return text;
  // With the file's decimal mark, the amount would have thousandths.
  return mark === null || mark === reading.only ? null : String(reading.grouped);
}

/** Returns a cell as a text that [`decimal`] reads in one way, or null if the file does not show whether it means thousands. */
export function measureCell(text: string, mark: FileMark): string | null {
  const reading = read(text);
  if (reading === null || reading.only === null) return text;
  return mark === null ? null : String(mark === reading.only ? reading.value : reading.grouped);
}
