/** The slips and the result of a closing of a courier's cash. */

import { sumOfReais } from "./brazil";
import type { CashClosing } from "./api/wire";
import { money } from "./brazil";
import { cashTexts } from "./i18n/cash";
import { amount } from "./numbers";

/** A slip as it is sent. A text that is no amount is reported by the API. */
export interface Slip {
  amount: number;
  brand?: string;
  authorisation?: string;
}

/** Reads slips, one on each line: the amount, the brand, and the authorisation as the last word. */
export function readSlips(text: string): Slip[] {
  const lines = text.split("\n").map((line) => line.trim().replace(/^R\$\s*/i, ""));
  return lines
    .filter((line) => line !== "")
    .map((line) => {
      const [first = "", ...words] = line.split(/\s+/);
      // A brand has no digits at its end, an authorisation has one or more.
      const authorisation = /\d/.test(words.at(-1) ?? "") ? words.pop() : undefined;
      const brand = words.join(" ");
      return {
        amount: amount(first) as number,
        ...(brand === "" ? {} : { brand }),
        ...(authorisation === undefined ? {} : { authorisation }),
      };
    });
}

/** Returns the sum of slips in reais. */
export const slipsTotal = (slips: readonly { amount: number }[]): number =>
  sumOfReais(slips.map(({ amount: of }) => of));

/** Returns the difference in words. */
export function differenceText(difference: number): string {
  const t = cashTexts.value;
  if (difference === 0) return t.none;
  return difference < 0 ? t.missing(money(-difference)) : t.surplus(money(difference));
}

/** Returns the lines of a closing: each with its name and its amount in reais. */
export function closingLines(closing: CashClosing): [name: string, amount: number][] {
  const t = cashTexts.value;
  const lines: [string, number][] = [
    [t.float, closing.float],
    [t.collected, closing.collected],
    [t.handedOver, -closing.handedOver],
  ];
  return [
    ...lines.filter(([, amount]) => amount !== 0),
    [t.expected, closing.expected],
    [t.counted.replace(" (R$)", ""), closing.counted],
    [t.difference, closing.difference],
  ];
}
