/** Decisions of dispatch, each with its reason and the costs of the couriers. */

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { ConsideredCourier, DispatchDecision } from "../../api/wire";
import { When } from "../../ui/parts";
import { type Column, Table, actionsColumn } from "../../ui/table";
import { couriers } from "../api";
import { presentParts, reasonOf } from "../reason";
import { detailTexts, span } from "../texts/order";

/** The most parts of a cost that fit in a row beside the other column of the order's page. */
const MAX_NARROW = 5;
/** The most names of a list that are shown at once. */
const MAX_SHOWN = 3;

/** A decision about the order of the page. */
export function Decision(props: { pass: DispatchDecision; zone: string }) {
  const { pass } = props;
  return (
    <li>
      <p>
        <span class="strong">{outcomeOf(pass)}</span>
        <span class="dim">
          {" "}
          · <When at={pass.at} zone={props.zone} seconds />
        </span>
      </p>
      <Explanation of={pass} />
    </li>
  );
}

export const outcomeOf = (pass: DispatchDecision) =>
  detailTexts.value.outcomes[pass.outcome] ?? pass.outcome;

/** A table with a row for each order, below which its explanation opens. */
export function Decisions<Row extends { orderId: number }>(props: {
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  explanation: (row: Row) => ComponentChildren;
}) {
  const t = detailTexts.value;
  const [open, setOpen] = useState<ReadonlySet<number>>(new Set());
  const toggle = (id: number) =>
    setOpen(
      (before) =>
        new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]),
    );
  return (
    <Table
      label={props.label}
      class="passes"
      rows={props.rows}
      id={(row) => row.orderId}
      columns={[
        {
          head: t.order,
          kind: "header",
          cell: ({ orderId }) => (
            <a class="number" href={`#/orders/${orderId}`}>
              #{orderId}
            </a>
          ),
        },
        ...props.columns,
        actionsColumn<Row>(({ orderId }) => (
          <button
            type="button"
            class="button small"
            aria-expanded={open.has(orderId)}
            aria-label={t.explainOrder(orderId)}
            onClick={() => toggle(orderId)}
          >
            {t.explain}
          </button>
        )),
      ]}
      below={(row) => (open.has(row.orderId) ? props.explanation(row) : null)}
    />
  );
}

/** The reason of a decision, the costs of the couriers, and those who were left out. */
export function Explanation(props: { of: DispatchDecision }) {
  const t = detailTexts.value;
  const { of: pass } = props;
  const { considered, cost } = pass;
  const parts = presentParts(considered);
  const isChosen = ({ courierId }: ConsideredCourier) => courierId === pass.courierId;
  const figure = (
    head: string,
    seconds: (row: ConsideredCourier) => number,
  ): Column<ConsideredCourier> => ({
    head,
    right: true,
    class: (row) => (isChosen(row) ? "number strong" : "number"),
    cell: (row) => span(seconds(row)),
  });
  return (
    <div class="explanation">
      <p>{reasonOf(pass, nameOf)}</p>
      {/* With other orders, the cost differs from that for this order alone. */}
      {cost !== null &&
        considered.length > 0 &&
        (pass.orders > 1 || cost.total !== considered.find(isChosen)?.cost.total) && (
          <p class="dim">{t.trip(pass.orders, span(cost.total))}</p>
        )}
      {considered.length > 0 && (
        <Table
          label={t.considered}
          caption
          class={`tight costs ${parts.length > MAX_NARROW ? "many" : ""}`}
          rows={considered}
          id={(row) => row.courierId}
          columns={[
            {
              head: t.to,
              kind: "header",
              cell: (row) => (
                <>
                  <CourierLink id={row.courierId} />
                  {isChosen(row) && (
                    <>
                      {" "}
                      <span class="badge good">
                        {pass.outcome === "ASSIGNED" ? t.chosen : t.planned}
                      </span>
                    </>
                  )}
                </>
              ),
            },
            figure(t.total, (row) => row.cost.total),
            ...parts.map((part) => figure(t.costs[part], (row) => row.cost[part])),
          ]}
        />
      )}
      <Excluded of={pass.excluded ?? []} />
    </div>
  );
}

function Excluded(props: { of: NonNullable<DispatchDecision["excluded"]> }) {
  const t = detailTexts.value;
  const reasons = [...new Set(props.of.map(({ reason }) => reason))];
  if (reasons.length === 0) return null;
  return (
    <>
      <p class="dim">{t.excluded}</p>
      <ul>
        {reasons.map((reason) => {
          const members = props.of.filter((one) => one.reason === reason);
          const head = `${t.unfit[reason] ?? reason} (${members.length})`;
          const links = members.map(({ courierId }, at) => (
            <span key={courierId}>
              {at > 0 && ", "}
              <CourierLink id={courierId} />
            </span>
          ));
          return (
            <li key={reason}>
              {members.length > MAX_SHOWN ? (
                <details>
                  <summary>{head}</summary>
                  {links}
                </details>
              ) : (
                <>
                  {head}: {links}
                </>
              )}
            </li>
          );
        })}
      </ul>
    </>
  );
}

const MAX_NAMES = 500;
/** The names of couriers, loaded when a decision mentions them. */
const names = signal<ReadonlyMap<number, string>>(new Map());
const requested = new Set<number>();

function nameOf(id: number): string {
  const name = names.value.get(id);
  if (name === undefined && !requested.has(id) && requested.size < MAX_NAMES) {
    requested.add(id);
    couriers.get(id).then(
      (found) => (names.value = new Map([...names.value, [id, found.name]])),
      () => requested.delete(id),
    );
  }
  return name ?? detailTexts.value.courier(id);
}

export function CourierLink(props: { id: number }) {
  return <a href={`#/couriers/${props.id}`}>{nameOf(props.id)}</a>;
}
