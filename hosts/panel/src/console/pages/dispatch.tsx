/** A pass of dispatch, simulated or run. */

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type {
  DispatchComparison,
  DispatchDecision,
  DispatchPass,
  DispatchSettings,
} from "../../api/wire";
import { zone } from "../../context";
import { timeWithSeconds } from "../../format";
import { ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../../ui/field";
import { useLoad } from "../../ui/load";
import { Loaded, Page } from "../../ui/parts";
import { useSubmit } from "../../ui/submit";
import { dispatch } from "../api";
import { formDraft } from "../draft";
import type { PageProps } from "../page-props";
import { dispatchTexts, settingNames } from "../texts/dispatch";
import { detailTexts, span } from "../texts/order";
import { CourierLink, Decisions, Explanation, outcomeOf } from "../ui/decision";

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
      <SettingsSection />
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
    dispatch
      .run(isDryRun)
      .then((pass) => (result.value = { pass, isDryRun, at: new Date().toISOString() }), setError)
      .finally(() => setBusy(false));
  };
  return (
    <div class="stack">
      <div class="row">
        <button type="button" class="button primary" aria-disabled={busy} onClick={() => run(true)}>
          {busy ? t.running : t.dryRun}
        </button>
        <button type="button" class="button" aria-disabled={busy} onClick={() => run(false)}>
          {t.run}
        </button>
      </div>
      <p class="hint">{t.dryRunHint}</p>
      <ErrorBox error={error} />
      <div class={result.value === null ? undefined : "card stack"} data-testid="pass">
        <div role="status">{result.value !== null && <Summary of={result.value} />}</div>
        {result.value !== null && <PassTable of={result.value.pass} key={result.value.at} />}
      </div>
    </div>
  );
}

function Summary(props: { of: Result }) {
  const t = dispatchTexts.value;
  const { pass, isDryRun, at } = props.of;
  const decisions = pass.decisions ?? [];
  const time = timeWithSeconds(at, zone.value);
  return (
    <>
      <p class="strong">{isDryRun ? t.simulated(time) : t.done(time)}</p>
      {pass.more && <p class="warn-text">{t.more}</p>}
      {isDryRun ? (
        <p>
          {decisions.length === 0
            ? t.nothing
            : t.assigns(
                decisions.filter((one) => one.outcome === "ASSIGNED").length,
                decisions.length,
              )}
        </p>
      ) : (
        <Changes of={pass} />
      )}
      {decisions.length > MAX_DECISIONS && (
        <p class="warn-text">{t.shown(MAX_DECISIONS, decisions.length)}</p>
      )}
    </>
  );
}

function PassTable(props: { of: DispatchPass }) {
  const t = detailTexts.value;
  const decisions = props.of.decisions ?? [];
  if (decisions.length === 0) return null;
  return (
    <Decisions
      label={dispatchTexts.value.decisions}
      rows={decisions.slice(0, MAX_DECISIONS)}
      columns={[
        { head: t.outcome, kind: "plain", cell: outcomeOf },
        {
          head: t.to,
          kind: "plain",
          class: ({ courierId }) => (courierId === null ? "none" : ""),
          cell: ({ courierId }) => (courierId === null ? "—" : <CourierLink id={courierId} />),
        },
        {
          head: t.total,
          kind: "plain",
          right: true,
          class: ({ cost }) => (cost === null ? "none" : "number"),
          cell: ({ cost }) => (cost === null ? "—" : span(cost.total)),
        },
      ]}
      explanation={(pass) => <Explanation of={pass} />}
    />
  );
}

function Changes(props: { of: DispatchPass }) {
  const t = dispatchTexts.value;
  const { allocated, released, expired, moved } = props.of;
  // The expired orders are also counted as moved ones.
  const counts = [
    [allocated, t.allocated],
    [released, t.released],
    [expired, t.expired],
    [moved - expired, t.moved],
  ] as const;
  const present = counts.filter(([count]) => count > 0);
  return present.length === 0 ? (
    <p>{t.noChange}</p>
  ) : (
    <ul>
      {present.map(([count, text]) => (
        <li key={text(2)}>{text(count)}</li>
      ))}
    </ul>
  );
}

/** The values that the operator typed; absent ones are those in force. */
const settingsDraft = formDraft(
  "dispatch",
  (): Partial<Record<keyof DispatchSettings, string>> => ({}),
);

/** Returns the value as a number, or as typed, so that the API reports it. */
const numberOf = (text: string) =>
  text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);

/** The settings in force, and a pass simulated with other values. */
function SettingsSection() {
  const t = dispatchTexts.value;
  const settings = useLoad(() => dispatch.settings(), []);
  return (
    <section class="stack below" aria-labelledby="dispatch-settings">
      <h2 id="dispatch-settings">{t.settings}</h2>
      <p class="hint">{t.settingsHint}</p>
      <Loaded of={settings} lines={4}>
        {(current) => <SettingsForm current={current} />}
      </Loaded>
    </section>
  );
}

function SettingsForm(props: { current: DispatchSettings }) {
  const t = dispatchTexts.value;
  const { current } = props;
  const draft = settingsDraft("deployment");
  const [shown, setShown] = useState<DispatchComparison | null>(null);
  const shownValue = (name: keyof DispatchSettings) => draft.value[name] ?? String(current[name]);
  const body = () =>
    Object.fromEntries(settingNames.map((name) => [name, numberOf(shownValue(name))]));
  const { error, busy, submit } = useSubmit(() => dispatch.compare(body()), setShown);
  const found = error === null ? shown : null;
  return (
    <>
      <form class="stack" onSubmit={submit} noValidate data-testid="settings">
        <FieldErrors.Provider value={fieldErrorsOf(error)}>
          <ErrorBox error={error} />
          <div class="grid even">
            {settingNames.map((name) => (
              <TextField
                key={name}
                pointer={`/${name}`}
                label={t.names[name]}
                hint={t.current(current[name])}
                value={shownValue(name)}
                set={(text) => draft.set({ [name]: text })}
                mode="numeric"
                max={6}
              />
            ))}
          </div>
        </FieldErrors.Provider>
        <div class="row">
          <button type="submit" class="button" aria-disabled={busy}>
            {busy ? t.running : t.compare}
          </button>
          <button
            type="button"
            class="button"
            onClick={() => {
              draft.clear();
              setShown(null);
            }}
          >
            {t.reset}
          </button>
        </div>
      </form>
      <div class={found === null ? undefined : "card stack"} data-testid="comparison">
        <div role="status">{found !== null && <ComparisonSummary of={found} />}</div>
        {found !== null && <Comparison of={found} current={current} />}
      </div>
    </>
  );
}

function ComparisonSummary(props: { of: DispatchComparison }) {
  const t = dispatchTexts.value;
  const { of } = props;
  return (
    <>
      <p>
        {t.compared(of.current.assigned, of.draft.assigned, of.current.orders, of.draft.orders)}
      </p>
      <p class="strong">{of.changedOrders === 0 ? t.same : t.changed(of.changedOrders)}</p>
      {of.changed.length < of.changedOrders && (
        <p class="warn-text">{t.shown(of.changed.length, of.changedOrders)}</p>
      )}
    </>
  );
}

function Comparison(props: { of: DispatchComparison; current: DispatchSettings }) {
  const t = dispatchTexts.value;
  const { of, current } = props;
  const changed = settingNames.filter((name) => of.settings[name] !== current[name]);
  const lines = changed.map(
    (name) =>
      `${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)} = ${of.settings[name]}`,
  );
  return (
    <>
      {of.changed.length > 0 && (
        <Decisions
          label={t.decisions}
          rows={of.changed}
          columns={[
            { head: t.now, cell: (row) => <Side of={row.current} /> },
            { head: t.withDraft, cell: (row) => <Side of={row.draft} /> },
          ]}
          explanation={(row) =>
            [
              { title: t.now, side: row.current },
              { title: t.withDraft, side: row.draft },
            ].map(({ title, side }) => (
              <section key={title} class="explanation">
                <h3>{title}</h3>
                {side === null ? <p>{t.notMatched}</p> : <Explanation of={side} />}
              </section>
            ))
          }
        />
      )}
      {lines.length > 0 && (
        <>
          <p>{t.apply}</p>
          <pre class="config-lines">{["[dispatch]", ...lines].join("\n")}</pre>
        </>
      )}
    </>
  );
}

function Side(props: { of: DispatchDecision | null }) {
  const { of } = props;
  if (of === null) return <>{dispatchTexts.value.notMatched}</>;
  return (
    <>
      {outcomeOf(of)}
      {of.courierId !== null && (
        <>
          : <CourierLink id={of.courierId} />
        </>
      )}
    </>
  );
}
