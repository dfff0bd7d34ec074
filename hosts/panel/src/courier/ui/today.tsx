/** What the trip pays, and what the courier earned today. */

import { useEffect, useState } from "preact/hooks";
import { money } from "../../brazil";
import { payTypeTexts } from "../../i18n/pay-types";
import { api } from "../api";
import { byOrder, earned, type EarnedOrder } from "../earnings";
import { trip } from "../state";
import { texts, time } from "../texts";
import type { PayLine } from "../wire";
import { failureText } from "./sign-in";

/** The pay of the trip with its lines, before its first pickup. */
export function TripPayCard() {
  const t = texts.value.pay;
  const found = trip.value;
  const pay = found?.pay ?? null;
  if (pay === null || found?.orders.some((order) => order.situation >= 300) === true) return null;
  const distance = new Intl.NumberFormat(texts.value.locale, { maximumFractionDigits: 1 });
  return (
    <section class="card" data-testid="trip-pay">
      <p class="pay-head">
        <span>{t.trip}</span> <strong class="amount">{money(pay.amount)}</strong>
      </p>
      <p class="dim">{t.effort(`${distance.format(pay.distance)} km`, pay.minutes)}</p>
      <details class="optional">
        <summary>{t.lines}</summary>
        {pay.orders.map((order) => (
          <Lines key={order.orderId} of={order.lines} />
        ))}
      </details>
    </section>
  );
}

/** Today's sum, which leads to its lines. Absent while nothing was earned. */
export function EarnedLink() {
  const t = texts.value.pay;
  const found = earned.value;
  if (found === null || found.entries.length === 0) return null;
  return (
    <a class="button plain" href="#today" data-testid="earned">
      {t.todayLink(money(found.amount))}
    </a>
  );
}

export function TodayScreen() {
  const t = texts.value.pay;
  const [error, setError] = useState("");
  useEffect(() => {
    api.earnings().then(
      (found) => (earned.value = found),
      (failure: unknown) => setError(failureText(failure)),
    );
  }, []);
  const found = earned.value;
  return (
    <main class="screen" id="main">
      <h1 id="title" tabIndex={-1}>
        {t.today}
      </h1>
      {error !== "" && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {found !== null && (
        <section class="card" data-testid="today">
          <p class="earned-total">{money(found.amount)}</p>
          <p class="dim">{found.entries.length === 0 ? t.nothing : t.orders(found.orders)}</p>
        </section>
      )}
      {found !== null && byOrder(found.entries).map((one) => <OrderCard key={one.key} of={one} />)}
    </main>
  );
}

function OrderCard(props: { of: EarnedOrder }) {
  const { code, amount, at, entries } = props.of;
  return (
    <section class="card" data-testid="earned-order">
      <h2 class="pay-head">
        <span>{code === null ? texts.value.pay.other : texts.value.trip.order(code)}</span>{" "}
        <strong class="amount">{money(amount)}</strong>
      </h2>
      <p class="dim">{time(at)}</p>
      <Lines of={entries.map((entry) => ({ ...entry, note: entry.reason }))} />
    </section>
  );
}

function Lines(props: { of: readonly Pick<PayLine, "type" | "amount" | "note">[] }) {
  const t = texts.value.pay;
  return (
    <ul class="pay-lines">
      {props.of.map((line, at) => (
        <li key={at}>
          <span>
            {payTypeTexts.value[line.type]}
            {line.note !== null && <span class="dim"> · {t.notes[line.note] ?? line.note}</span>}
          </span>{" "}
          <span class="amount">{money(line.amount)}</span>
        </li>
      ))}
    </ul>
  );
}
