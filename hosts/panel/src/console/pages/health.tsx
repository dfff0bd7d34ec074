/** The figures of the service, and what to do if one of them is bad. */

import type { HealthFigure, Health } from "../../api/wire";
import { zone } from "../../context";
import { quantity, timeWithSeconds } from "../../format";
import { Loaded, Page } from "../../ui/parts";
import { health as read } from "../api";
import type { PageProps } from "../page-props";
import { usePolled } from "../poll";
import { healthTexts } from "../texts/health";
import { span } from "../texts/order";

const POLL_MS = 10_000;

export function HealthPage(_: PageProps) {
  const t = healthTexts.value;
  const health = usePolled(read, [], POLL_MS);
  return (
    <Page title={t.title} lead={t.lead}>
      {health.error !== null && health.value !== null && (
        <p class="notice" role="alert">
          {t.old}
        </p>
      )}
      <Loaded of={health} lines={5}>
        {(found) => <Found of={found} />}
      </Loaded>
    </Page>
  );
}

function Found(props: { of: Health }) {
  const t = healthTexts.value;
  const { status, at, figures } = props.of;
  const bad = figures.filter((one) => one.status !== "OK");
  const isGood = status === "OK" && bad.length === 0;
  return (
    <div class="stack">
      <p class="row">
        <strong role="status" class={`badge ${isGood ? "good" : "bad"}`}>
          {isGood ? t.good : bad.length === 0 ? t.badOverall : t.bad(bad.length)}
        </strong>
        <span class="dim number">{t.at(timeWithSeconds(at, zone.value))}</span>
      </p>
      <ul class="figures" aria-label={t.figures}>
        {[...bad, ...figures.filter((one) => one.status === "OK")].map((one) => (
          <FigureCard key={one.name} of={one} />
        ))}
      </ul>
    </div>
  );
}

function FigureCard(props: { of: HealthFigure }) {
  const t = healthTexts.value;
  const { name, value, status, advice } = props.of;
  const isGood = status === "OK";
  return (
    <li class={`card figure ${isGood ? "" : "bad"}`}>
      <p class="figure-name">{t.names[name] ?? <code>{name}</code>}</p>
      <p class="figure-value number">{name.endsWith("Seconds") ? span(value) : quantity(value)}</p>
      <p class={isGood ? "unseen" : "late"}>{isGood ? t.ok : t.attention}</p>
      {advice !== null && <p>{advice}</p>}
    </li>
  );
}
