/** The national holidays of Brazil: laws 662/1949, 6.802/1980 and 14.759/2023, and Good Friday. */

const FIXED: readonly (readonly [monthDay: string, name: string])[] = [
  ["01-01", "Confraternização Universal"],
  ["04-21", "Tiradentes"],
  ["05-01", "Dia do Trabalho"],
  ["09-07", "Independência"],
  ["10-12", "Nossa Senhora Aparecida"],
  ["11-02", "Finados"],
  ["11-15", "Proclamação da República"],
  ["11-20", "Consciência Negra"],
  ["12-25", "Natal"],
];

export interface Holiday {
  /** The date as `2026-12-25`. */
  date: string;
  name: string;
}

/** Returns the holidays of a year in their order. */
export function holidays(year: number): Holiday[] {
  const fixed = FIXED.map(([monthDay, name]) => ({ date: `${year}-${monthDay}`, name }));
  const all = [...fixed, { date: goodFriday(year), name: "Sexta-feira Santa" }];
  return all.sort((a, b) => a.date.localeCompare(b.date));
}

/** Returns the holidays of twelve months from a date on. */
export function nextHolidays(from: string): Holiday[] {
  const year = Number(from.slice(0, 4));
  const until = `${year + 1}${from.slice(4)}`;
  return [...holidays(year), ...holidays(year + 1)].filter(
    ({ date }) => date >= from && date < until,
  );
}

/** Two days before Easter, by the anonymous Gregorian computus (Meeus, Astronomical Algorithms, chapter 8). */
function goodFriday(year: number): string {
  const a = year % 19;
  const [b, c] = [Math.floor(year / 100), year % 100];
  const [d, e] = [Math.floor(b / 4), b % 4];
  const f = Math.floor((b + 8) / 25);
  const g = Math.floor((b - f + 1) / 3);
  const h = (19 * a + b - d - g + 15) % 30;
  const [i, k] = [Math.floor(c / 4), c % 4];
  const l = (32 + 2 * e + 2 * i - h - k) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const days = h + l - 7 * m + 114;
  const easter = Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1);
  return new Date(easter - 2 * 86_400_000).toISOString().slice(0, 10);
}
