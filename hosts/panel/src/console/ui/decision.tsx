/** A decision of dispatch in words. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { AssignmentCost, DispatchDecision } from "../../api/wire";
import { When } from "../../ui/parts";
import { couriers } from "../api";
import { detailTexts, span } from "../texts/order";

/** A courier whose name is already known. */
type Known = { id: number; name: string } | null;

interface Props {
  pass: DispatchDecision;
  courier?: Known;
  zone?: string;
  /** Precedes the outcome; without it, the time of the pass follows. */
  title?: ComponentChildren;
}

export function Decision(props: Props) {
  const t = detailTexts.value;
  const { pass, courier = null } = props;
  const excluded = pass.excluded ?? [];
  return (
    <li>
      <p>
        {props.title}
        <span class="strong">{t.outcomes[pass.outcome] ?? pass.outcome}</span>
        {pass.courierId !== null && (
          <>
            : <CourierLink id={pass.courierId} known={courier} />
          </>
        )}
        {props.title === undefined && (
          <span class="dim">
            {" "}
            ·{" "}
            <When
              at={pass.at}
              {...(props.zone === undefined ? {} : { zone: props.zone })}
              seconds
            />
          </span>
        )}
      </p>
      {pass.cost !== null && (
        <p>
          {t.trip(pass.orders)},{" "}
          {pass.considered.length > 0 ? (
            <>
              {t.cost(pass.cost.total)}: <Cost of={pass.cost} />
            </>
          ) : (
            t.byOperator
          )}
        </p>
      )}
      {pass.considered.length > 0 && (
        <>
          <p class="dim">{t.considered}</p>
          <ul class="considered">
            {pass.considered.map(({ courierId, cost }) => (
              <li key={courierId}>
                <CourierLink id={courierId} known={courier} />
                {courierId === pass.courierId && <span class="dim"> ({t.chosen})</span>}:{" "}
                {t.cost(cost.total)} (<Cost of={cost} />)
              </li>
            ))}
          </ul>
        </>
      )}
      {excluded.length > 0 && (
        <>
          <p class="dim">{t.excluded}</p>
          <ul class="considered">
            {excluded.map(({ courierId, reason }) => (
              <li key={courierId}>
                <CourierLink id={courierId} known={courier} />: {t.unfit[reason] ?? reason}
              </li>
            ))}
          </ul>
        </>
      )}
    </li>
  );
}

/** The components of a cost that are not zero. */
function Cost(props: { of: AssignmentCost }) {
  const t = detailTexts.value;
  const { total: _, ...components } = props.of;
  const present = Object.entries(components).filter(([, seconds]) => seconds !== 0);
  return (
    <span class="dim">
      {present.map(([name, seconds]) => `${t.costs[name] ?? name} ${span(seconds)}`).join(", ")}
    </span>
  );
}

const MAX_NAMES = 500;
/** The names of couriers, loaded when an explanation mentions them. */
const names = signal<ReadonlyMap<number, string>>(new Map());
const requested = new Set<number>();

function requestName(id: number): void {
  if (requested.has(id) || requested.size >= MAX_NAMES) return;
  requested.add(id);
  couriers.get(id).then(
    (found) => (names.value = new Map([...names.value, [id, found.name]])),
    () => requested.delete(id),
  );
}

function CourierLink(props: { id: number; known: Known }) {
  const { id, known } = props;
  const name = known?.id === id ? known.name : names.value.get(id);
  if (name === undefined) requestName(id);
  return <a href={`#/couriers/${id}`}>{name ?? detailTexts.value.courier(id)}</a>;
}
