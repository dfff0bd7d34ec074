/** Formatting of amounts, times and addresses. */

import { texts } from "./i18n";

export * from "./brazil";

export const STATES = [
  "AC",
  "AL",
  "AM",
  "AP",
  "BA",
  "CE",
  "DF",
  "ES",
  "GO",
  "MA",
  "MG",
  "MS",
  "MT",
  "PA",
  "PB",
  "PE",
  "PI",
  "PR",
  "RJ",
  "RN",
  "RO",
  "RR",
  "RS",
  "SC",
  "SE",
  "SP",
  "TO",
];

const formats = new Map<string, Intl.DateTimeFormat>();

function dates(zone: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const name = `${texts.value.locale} ${zone} ${JSON.stringify(options)}`;
  const known =
    formats.get(name) ??
    new Intl.DateTimeFormat(texts.value.locale, { timeZone: zone, ...options });
  formats.set(name, known);
  return known;
}

export function kilometres(distance: number): string {
  const digits = distance < 10 ? 2 : 1;
  return `${new Intl.NumberFormat(texts.value.locale, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(distance)} km`;
}

export function quantity(number: number): string {
  return new Intl.NumberFormat(texts.value.locale, { maximumFractionDigits: 3 }).format(number);
}

export function time(instant: string, zone: string): string {
  return dates(zone, { hour: "2-digit", minute: "2-digit" }).format(new Date(instant));
}

export function timeWithSeconds(instant: string, zone: string): string {
  return dates(zone, { hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(
    new Date(instant),
  );
}

export function dateTime(instant: string, zone: string): string {
  return dates(zone, {
    day: "2-digit",
    month: "2-digit",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
  }).format(new Date(instant));
}

/** A calendar day such as `2026-11-21` in words. */
export function date(name: string): string {
  return dates("UTC", {
    weekday: "long",
    day: "2-digit",
    month: "2-digit",
    year: "numeric",
  }).format(new Date(`${name}T12:00:00Z`));
}

/** Returns the time if it is today, otherwise date and time. */
export function timeOrDateTime(instant: string, zone: string, now: number): string {
  return day(new Date(instant), zone) === day(new Date(now), zone)
    ? time(instant, zone)
    : dateTime(instant, zone);
}

/** The calendar day in a time zone, as `2026-11-21`. */
export function day(instant: Date, zone: string): string {
  return new Intl.DateTimeFormat("en-CA", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
  }).format(instant);
}

/** The offset of a time zone, as `GMT-4`. */
export function zoneName(zone: string): string {
  const parts = dates(zone, { timeZoneName: "shortOffset", hour: "2-digit" }).formatToParts(
    new Date(),
  );
  return parts.find((part) => part.type === "timeZoneName")?.value ?? zone;
}

/** Returns the instant at which a calendar day begins in a time zone. */
export const startOfDay = (date: string, zone: string): Date => localInstant(`${date}T00:00`, zone);

/** The instant of a local time such as `2026-11-21T20:00` in a time zone, or an invalid date for other texts. */
export function localInstant(local: string, zone: string): Date {
  // Browsers parse many other texts as dates of their own choice.
  const isLocal = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(local);
  const guess = isLocal ? Date.parse(`${local}:00Z`) : NaN;
  if (Number.isNaN(guess)) return new Date(NaN);
  const parts = Object.fromEntries(
    new Intl.DateTimeFormat("en-CA", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    })
      .formatToParts(new Date(guess))
      .map((part) => [part.type, part.value]),
  );
  const there = Date.parse(
    `${parts.year}-${parts.month}-${parts.day}T${parts.hour}:${parts.minute}:${parts.second}Z`,
  );
  return new Date(guess + (guess - there));
}

export function nextDay(date: string): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

/** The time since an instant, as `4 min`, `2 h 05` or `3 d`. */
export function age(since: string, now: number): string {
  return duration(Math.max(0, Math.floor((now - Date.parse(since)) / 60_000)));
}

/** A duration, as `4 min`, `2 h 05` or `3 d`. */
export function duration(minutes: number): string {
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ${String(minutes % 60).padStart(2, "0")}`;
  return `${Math.floor(hours / 24)} d`;
}

export function cnpj(text: string): string {
  const bare = text.replace(/[^0-9A-Za-z]/g, "");
  return bare.length === 14
    ? `${bare.slice(0, 2)}.${bare.slice(2, 5)}.${bare.slice(5, 8)}/${bare.slice(8, 12)}-${bare.slice(12)}`
    : text;
}

/** Returns a number as people type it in the page's language, without thousands separators. */
export const typed = (value: number | string): string =>
  String(value).replace(".", texts.value.locale === "pt-BR" ? "," : ".");
