/** The samples of previews, as they are typed. */

import { parseDecimal } from "./draft";

/** Returns the items of a list that is separated by semicolons. */
export const items = (text: string): string[] =>
  text
    .split(";")
    .map((one) => one.trim())
    .filter(Boolean);

export const isTime = (text: string): boolean => /^([01]?\d|2[0-3]):[0-5]\d$/.test(text);

/** Returns the distances of a list in kilometres. Null if there is none, or one is invalid. */
export function distancesOf(text: string): number[] | null {
  const all = items(text).map(parseDecimal);
  const valid = all.filter((one) => one !== null && one > 0) as number[];
  return all.length === 0 || valid.length < all.length ? null : valid;
}
