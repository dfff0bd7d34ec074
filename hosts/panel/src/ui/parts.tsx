/** The small pieces that every page is made of. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ApiError, Unreachable } from "../api/http";
import { now } from "../clock";
import { age, dateTime, day, moment, timeWithSeconds, zoneName } from "../format";
import { texts } from "../i18n";
import { zone } from "../session";
import { tone } from "../situations";
import type { Loaded as Reading } from "./load";

export function Page(props: { title: string; aside?: ComponentChildren; children: ComponentChildren; lead?: string }) {
  useEffect(() => {
    document.title = `${props.title} · ${texts.value.product}`;
  }, [props.title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 id="title" tabIndex={-1}>{props.title}</h1>
          {props.lead !== undefined && <p class="lead">{props.lead}</p>}
        </div>
        {props.aside !== undefined && <div class="page-aside">{props.aside}</div>}
      </header>
      {props.children}
    </>
  );
}

export function Situation(props: { of: number; small?: boolean }) {
  return <span class={`badge ${tone(props.of)}`}>{texts.value.situations[props.of] ?? props.of}</span>;
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

/** Lines where the content will be; announced to screen readers once. */
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

/** What went wrong, and what to do. */
export function Failure(props: { error: unknown; retry?: () => void }) {
  const t = texts.value;
  const { error } = props;
  const problem = error instanceof ApiError ? error.problem : null;
  const missing = problem?.code === "endpoint_not_found" || problem?.code === "method_not_allowed";
  let [text, hint]: [string, string] = [t.net.failed, problem?.detail ?? ""];
  if (error instanceof Unreachable) [text, hint] = [t.net.unreachable, t.net.unreachableHint];
  if (missing) [text, hint] = [t.net.notThere, t.net.notThereHint];
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

/** What is being read, or why it is not there; a value that is there already stays while it is read again. */
export function Loaded<T>(props: { of: Reading<T>; lines?: number; children: (value: T) => ComponentChildren }) {
  const { value, error, again } = props.of;
  if (value !== null) return <>{props.children(value)}</>;
  return error !== null ? <Failure error={error} retry={again} /> : <Loading lines={props.lines ?? 4} />;
}

/** A time in a store's zone, with the zone's name if it differs from the user's store. */
export function When(props: { at: string | null; zone?: string; full?: boolean; seconds?: boolean }) {
  if (props.at === null) return <>—</>;
  const there = props.zone ?? zone.value;
  const today = day(new Date(props.at), there) === day(new Date(now.value), there);
  let text = props.full === true ? dateTime(props.at, there) : moment(props.at, there, now.value);
  if (props.seconds === true && today) text = timeWithSeconds(props.at, there);
  return (
    <time dateTime={props.at} title={`${dateTime(props.at, there)} (${there})`}>
      {text}
      {there !== zone.value && <span class="zone"> {zoneName(there)}</span>}
    </time>
  );
}

export function Age(props: { since: string; until?: string | null }) {
  return <span class="number">{age(props.since, props.until ? Date.parse(props.until) : now.value)}</span>;
}

/** A secret that is shown once, with a button that copies it. */
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

export function Copy(props: { text: string }) {
  const [done, setDone] = useState(false);
  const copy = () => {
    void navigator.clipboard?.writeText(props.text).then(() => {
      setDone(true);
      setTimeout(() => setDone(false), 2000);
    });
  };
  return (
    <button type="button" class="button small" onClick={copy}>
      {done ? texts.value.common.copied : texts.value.common.copy}
    </button>
  );
}

/** A pair in a list of facts. */
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
