/** A pass of dispatch, simulated or run. */

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { DispatchPass } from "../../api/wire";
import { zone } from "../../context";
import { timeWithSeconds } from "../../format";
import { ErrorBox } from "../../ui/field";
import { Page } from "../../ui/parts";
import { dispatch } from "../api";
import type { PageProps } from "../pages";
import { dispatchTexts } from "../texts/dispatch";
import { Decision } from "../ui/decision";

const MAX_DECISIONS = 100;

interface Result {
  pass: DispatchPass;
  isDryRun: boolean;
  at: string;
}

/** The last result stays while the operator opens an order. */
const result = signal<Result | null>(null);

export function DispatchPage(_: PageProps) {
  const t = dispatchTexts.value;
  return (
    <Page title={t.title} lead={t.lead}>
      <PassSection />
    </Page>
  );
}

function PassSection() {
  const t = dispatchTexts.value;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const run = (isDryRun: boolean) => {
    if (busy) return;
    setBusy(true);
    setError(null);
    dispatch.run(isDryRun).then((pass) => (result.value = { pass, isDryRun, at: new Date().toISOString() }), setError).finally(() => setBusy(false));
  };
  return (
    <div class="stack">
      <div class="row">
        <button type="button" class="button primary" aria-disabled={busy} onClick={() => run(true)}>{busy ? t.running : t.dryRun}</button>
        <button type="button" class="button" aria-disabled={busy} onClick={() => run(false)}>{t.run}</button>
      </div>
      <p class="hint">{t.dryRunHint}</p>
      <ErrorBox error={error} />
      <div role="status">{result.value !== null && <ResultText of={result.value} />}</div>
    </div>
  );
}

function ResultText(props: { of: Result }) {
  const t = dispatchTexts.value;
  const { pass, isDryRun, at } = props.of;
  const decisions = pass.decisions ?? [];
  const time = timeWithSeconds(at, zone.value);
  return (
    <div class="card" data-testid="pass">
      <p class="strong">{isDryRun ? t.simulated(time) : t.done(time)}</p>
      {pass.more && <p class="warn-text">{t.more}</p>}
      {isDryRun ? <p>{decisions.length === 0 ? t.nothing : t.assigns(decisions.filter((one) => one.outcome === "ASSIGNED").length, decisions.length)}</p> : <Changes of={pass} />}
      {decisions.length > MAX_DECISIONS && <p class="warn-text">{t.shown(MAX_DECISIONS, decisions.length)}</p>}
      {decisions.length > 0 && (
        <ol class="decisions">
          {decisions.slice(0, MAX_DECISIONS).map((one) => (
            <Decision key={one.orderId} pass={one} title={<><a href={`#/orders/${one.orderId}`}>{t.order(one.orderId)}</a>. </>} />
          ))}
        </ol>
      )}
    </div>
  );
}

function Changes(props: { of: DispatchPass }) {
  const t = dispatchTexts.value;
  const { allocated, released, expired, moved } = props.of;
  // The expired orders are also counted as moved ones.
  const counts = [[allocated, t.allocated], [released, t.released], [expired, t.expired], [moved - expired, t.moved]] as const;
  const present = counts.filter(([count]) => count > 0);
  return present.length === 0 ? <p>{t.noChange}</p> : <ul>{present.map(([count, text]) => <li key={text(2)}>{text(count)}</li>)}</ul>;
}
