/** A table of orders, in the panel and in the console. */

import type { ComponentChildren } from "preact";
import type { Delivery, OrderRow } from "../api/wire";
import { money, zoneOf } from "../format";
import { texts } from "../i18n";
import { isFinal } from "../situations";
import { DoorPayment } from "./door-payment";
import { Age, Situation, When } from "./parts";
import { Recipients } from "./recipients";
import { Table, actionsColumn } from "./table";
import { orderListTexts } from "../i18n/orders";

interface Props {
  rows: readonly OrderRow[];
  label?: string;
  /** The column with the promised or actual time. */
  due: {
    head: string;
    isEmpty: (row: OrderRow) => boolean;
    cell: (row: OrderRow) => ComponentChildren;
  };
  /** Returns the name of an order's store; without it, the table has no such column. */
  store?: (row: OrderRow) => string;
  /** Returns the delivery that represents the order; without it, the first one. */
  delivery?: (row: OrderRow) => Delivery | undefined;
  /** Returns the button of a row. With it, the table has a column of buttons, and what is collected at the door instead of the fee. */
  action?: (row: OrderRow) => ComponentChildren;
}

export function OrderTable(props: Props) {
  const t = orderListTexts.value;
  const { due, store, action } = props;
  return (
    <Table
      label={props.label ?? t.title}
      class="orders open-rows"
      rows={props.rows}
      id={(row) => row.id}
      columns={[
        {
          head: t.code,
          kind: "main",
          cell: (row) => (
            <>
              <a href={`#/orders/${row.id}`} class="strong row-link">
                {row.code}
              </a>
              <span class="dim number"> #{row.id}</span>
            </>
          ),
        },
        {
          head: t.situation,
          kind: "plain",
          class: "situation",
          cell: (row) => <Situation of={row.situation} />,
        },
        {
          head: t.recipients,
          class: "to",
          cell: (row) => <Recipients of={row} delivery={props.delivery?.(row)} />,
        },
        store === undefined ? null : { head: texts.value.common.store, class: "from", cell: store },
        {
          head: t.courier,
          class: (row) => (row.deliveryMan ? "courier" : "courier none"),
          cell: (row) => row.deliveryMan?.name ?? "—",
        },
        { head: due.head, class: (row) => (due.isEmpty(row) ? "due none" : "due"), cell: due.cell },
        {
          head: t.age,
          right: true,
          class: "age",
          cell: (row) =>
            isFinal(row.situation) ? (
              <When at={row.createdAt} zone={zoneOf(row.pickupAddress)} />
            ) : (
              <Age since={row.createdAt} />
            ),
        },
        action === undefined
          ? { head: t.fee, right: true, class: "number fee", cell: (row) => money(row.deliveryFee) }
          : { head: t.payment, class: "payment", cell: (row) => <DoorPayment of={row} /> },
        action === undefined ? null : actionsColumn(action),
      ]}
    />
  );
}
