/** The open orders as a board: what is prepared, what waits for a courier, what is out, and problems. */

import { useRef } from "preact/hooks";
import type { OrderRow } from "../api/wire";
import { COLUMNS, byColumn } from "../board";
import { now } from "../clock";
import { zoneOf } from "../format";
import { orderListTexts } from "../i18n/orders";
import { branches, isParentStore, storeName } from "../session";
import { DoorPayment } from "../ui/door-payment";
import { PromisedTime } from "../ui/lateness";
import { Age, Situation } from "../ui/parts";
import { ReadyButton } from "../ui/ready";
import { Recipients } from "../ui/recipients";

export function Board(props: { rows: readonly OrderRow[] }) {
  const t = orderListTexts.value;
  const columns = byColumn(props.rows, now.value);
  const box = useRef<HTMLDivElement>(null);
  return (
    <div class="board" ref={box} onKeyDown={(event) => moveFocus(event, box.current)}>
      {COLUMNS.map((column) => {
        const rows = columns.get(column) ?? [];
        return (
          <section
            key={column}
            class={`board-column ${column}`}
            aria-labelledby={`board-${column}`}
          >
            <h2 id={`board-${column}`}>
              {t.columns[column]} <span class="number dim">{rows.length}</span>
            </h2>
            <ol>
              {rows.map((row) => (
                <li key={row.id} class="board-card" data-order={row.id}>
                  <Card of={row} />
                </li>
              ))}
            </ol>
          </section>
        );
      })}
    </div>
  );
}

function Card(props: { of: OrderRow }) {
  const { of } = props;
  const showStore = isParentStore.value && branches.value.length > 0;
  return (
    <>
      <p class="row between">
        <a href={`#/orders/${of.id}`} class="strong row-link break">
          {of.code}
        </a>
        <Age since={of.createdAt} />
      </p>
      {showStore && <p class="dim">{storeName(of.storeId)}</p>}
      <p>
        <Recipients of={of} />
      </p>
      <p class="board-due">
        <PromisedTime of={of} zone={zoneOf(of.pickupAddress)} />
      </p>
      <p class="row between">
        <Situation of={of.situation} />
        {of.deliveryMan != null && <span>{of.deliveryMan.name}</span>}
      </p>
      <div class="row between">
        <p class="board-payment">
          <DoorPayment of={of} />
        </p>
        <ReadyButton of={of} />
      </div>
    </>
  );
}

/** Up and down move within a column, left and right to the next column that has orders. */
function moveFocus(event: KeyboardEvent, board: HTMLElement | null): void {
  const columns = [...(board?.querySelectorAll(".board-column") ?? [])]
    .map((column) => [...column.querySelectorAll<HTMLElement>(".row-link")])
    .filter((links) => links.length > 0);
  const at = columns.findIndex((links) => links.includes(event.target as HTMLElement));
  const row = columns[at]?.indexOf(event.target as HTMLElement) ?? -1;
  if (row < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
  const sideways = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const within = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (sideways === undefined && within === undefined) return;
  event.preventDefault();
  const column = columns[at + (sideways ?? 0)] ?? [];
  column[Math.min(row + (within ?? 0), column.length - 1)]?.focus();
}
