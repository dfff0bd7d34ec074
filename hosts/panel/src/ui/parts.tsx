/** Components that pages share. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, NetworkError } from "../api/http";
import type { Delivery } from "../api/wire";
import { now } from "../clock";
import { alertCount, zone } from "../context";
import { age, dateTime, day, time, timeOrDateTime, timeWithSeconds, zoneName } from "../format";
import { texts } from "../i18n";
import { tone } from "../situations";
import { usePageFocus } from "./focus";
import type { Resource } from "./load";
import { orderTexts } from "../i18n/order";

export function Page(props: {
  title: string;
  aside?: ComponentChildren;
  children: ComponentChildren;
  lead?: string;
}) {
  const count = alertCount.value;
  usePageFocus();
  useEffect(() => {
    document.title = `${count > 0 ? `(${count}) ` : ""}${props.title} · ${texts.value.product}`;
  }, [props.title, count]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 id="title" tabIndex={-1}>
            {props.title}
          </h1>
          {props.lead !== undefined && <p class="lead">{props.lead}</p>}
        </div>
        {props.aside !== undefined && <div class="page-aside">{props.aside}</div>}
      </header>
      {props.children}
    </>
  );
}

export function Situation(props: { of: number; small?: boolean }) {
  return (
    <span class={`badge ${tone(props.of)}`}>{texts.value.situations[props.of] ?? props.of}</span>
  );
}

export function Empty(props: { text: string; hint?: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <p class="state-text">{props.text}</p>
      {props.hint !== undefined && <p class="state-hint">{props.hint}</p>}
      {props.children}
    </div>
  );
}

/** Placeholder lines while content is loading. */
export function Loading(props: { lines?: number }) {
  return (
    <div class="loading" role="status">
      <span class="unseen">{texts.value.common.loading}</span>
      {Array.from({ length: props.lines ?? 4 }, (_, at) => (
        <div key={at} class="bone" aria-hidden="true" />
      ))}
    </div>
  );
}

/** An error, with the option to retry. */
export function Failure(props: { error: unknown; retry?: () => void }) {
  const t = texts.value;
  const { error } = props;
  const problem = error instanceof ApiError ? error.problem : null;
  const unsupported =
    problem?.code === "endpoint_not_found" || problem?.code === "method_not_allowed";
  let [text, hint]: [string, string] = [t.net.failed, problem?.detail ?? ""];
  if (error instanceof NetworkError) [text, hint] = [t.net.unreachable, t.net.unreachableHint];
  if (unsupported) [text, hint] = [t.net.unsupported, t.net.unsupportedHint];
  return (
    <div class="state" role="alert">
      <p class="state-text">{text}</p>
      {hint !== "" && <p class="state-hint">{hint}</p>}
      {props.retry !== undefined && (
        <button type="button" class="button" onClick={props.retry}>
          {t.common.retry}
        </button>
      )}
      {problem !== null && problem.requestId !== "" && (
        <p class="state-small">
          {t.net.request} <code>{problem.requestId}</code>
        </p>
      )}
    </div>
  );
}

/** A loaded value, a loading state or an error. The previous value stays visible during a reload. */
export function Loaded<T>(props: {
  of: Resource<T>;
  lines?: number;
  children: (value: T) => ComponentChildren;
}) {
  const { value, error, reload } = props.of;
  if (value !== null) return <>{props.children(value)}</>;
  return error !== null ? (
    <Failure error={error} retry={reload} />
  ) : (
    <Loading lines={props.lines ?? 4} />
  );
}

/** A time in a store's time zone, with the offset if it differs from the application's zone. */
export function When(props: {
  at: string | null;
  zone?: string;
  full?: boolean;
  seconds?: boolean;
}) {
  if (props.at === null) return <>—</>;
  const timeZone = props.zone ?? zone.value;
  const today = day(new Date(props.at), timeZone) === day(new Date(now.value), timeZone);
  let text =
    props.full === true
      ? dateTime(props.at, timeZone)
      : timeOrDateTime(props.at, timeZone, now.value);
  if (props.seconds === true && today) text = timeWithSeconds(props.at, timeZone);
  return (
    <time dateTime={props.at} title={`${dateTime(props.at, timeZone)} (${timeZone})`}>
      {text}
      {timeZone !== zone.value && <span class="zone"> {zoneName(timeZone)}</span>}
    </time>
  );
}

/** The times between which a courier must arrive, in the recipient's time zone. */
export function Window(props: {
  of: NonNullable<Delivery["window"]>;
  zone: string;
  class?: string;
}) {
  const { from, until } = props.of;
  const isOneDay = day(new Date(from), props.zone) === day(new Date(until), props.zone);
  const last = isOneDay ? time(until, props.zone) : timeOrDateTime(until, props.zone, now.value);
  return (
    <span class={`window ${props.class ?? ""}`}>
      {orderTexts.value.window(timeOrDateTime(from, props.zone, now.value), last)}
      {props.zone !== zone.value && <span class="zone"> {zoneName(props.zone)}</span>}
    </span>
  );
}

export function Age(props: { since: string; until?: string | null }) {
  return (
    <span class="number">
      {age(props.since, props.until ? Date.parse(props.until) : now.value)}
    </span>
  );
}

/** A secret that is shown only once, with a copy button. */
export function Secret(props: { value: string; lead: string; note?: string }) {
  return (
    <div class="secret" role="status">
      <p>{props.lead}</p>
      <p class="secret-line">
        <code>{props.value}</code>
        <Copy text={props.value} />
      </p>
      {props.note !== undefined && <p class="state-hint">{props.note}</p>}
    </div>
  );
}

export function Copy(props: { text: string; label?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(props.text).then(() => {
      setCopied(true);
      setTimeout(() => setCopied(false), 2000);
    });
  };
  return (
    <button
      type="button"
      class="button small"
      aria-label={copied ? undefined : props.label}
      onClick={copy}
    >
      {copied ? texts.value.common.copied : texts.value.common.copy}
    </button>
  );
}

/** A name and value in a description list. */
export function Fact(props: { name: string; children: ComponentChildren; hint?: string }) {
  return (
    <div class="fact">
      <dt>{props.name}</dt>
      <dd>
        {props.children}
        {props.hint !== undefined && <span class="fact-hint">{props.hint}</span>}
      </dd>
    </div>
  );
}
