// @vitest-environment happy-dom
import { render } from "preact";
import { afterEach, expect, test } from "vitest";
import type { OrderDetails, OrderEvent } from "../api/wire";
import { setLanguage } from "../i18n/language";
import { Timeline } from "./order-parts";

const event = (sequence: number, type: OrderEvent["type"], reason: string | null) =>
  ({
    id: sequence,
    sequence,
    type,
    reason,
    description: type,
    createdAt: "2026-11-29T15:00:00Z",
    deliveryId: null,
    requestedBy: { name: "platform", phone: null },
  }) as unknown as OrderEvent;

const EVENTS = [
  event(1, "order.created", null),
  event(2, "recipient.notify", "CREATED"),
  event(3, "recipient.notify", "EN_ROUTE"),
  event(4, "delivery.recipient_choice", "DOORMAN"),
  event(5, "order.cancelled", "CONSUMER_CANCELLATION_REQUESTED: Desistiu"),
  event(6, "delivery.returning", "NO_SHOW"),
  event(7, "order.cancelled", "Sem ingredientes"),
];

/** Returns the reasons that the history shows. */
function reasons(): (string | undefined)[] {
  const box = document.createElement("div");
  render(
    <Timeline
      order={
        {
          events: EVENTS,
          deliveries: [],
          pickupAddress: { state: "SP" },
        } as unknown as OrderDetails
      }
    />,
    box,
  );
  const shown = [...box.querySelectorAll("li")].map((line) =>
    [...line.querySelectorAll("p")].map((one) => one.textContent ?? ""),
  );
  return shown.reverse().map((lines) => (lines.length === 3 ? lines[1] : undefined));
}

afterEach(() => setLanguage("pt"));

test("the history has words instead of the names of the API", () => {
  setLanguage("pt");
  expect(reasons()).toEqual([
    undefined,
    "quando o pedido é criado",
    "quando o entregador está a caminho",
    "Deixar na portaria",
    "O cliente cancelou: “Desistiu”",
    "O cliente não estava no local",
    "“Sem ingredientes”",
  ]);
  setLanguage("en");
  expect(reasons()).toEqual([
    undefined,
    "when the order is created",
    "when the courier is on the way",
    "Leave it with the doorman",
    "The customer cancelled: “Desistiu”",
    "The customer was not there",
    "“Sem ingredientes”",
  ]);
});
