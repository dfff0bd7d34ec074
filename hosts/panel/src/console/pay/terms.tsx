/** The terms of a courier's pay for all stores. */

import { useState } from "preact/hooks";
import { readPages } from "../../api/pages";
import type { CourierPay, PayPlanVersion, Payer } from "../../api/wire";
import { ChoiceField } from "../../ui/field";
import { useLoad } from "../../ui/load";
import { Loaded } from "../../ui/parts";
import { notify, notifyError } from "../../ui/toast";
import { payTexts } from "../texts/pay";
import { courierPay, payPlans } from "./api";

/** Pages of versions that are read: more than an operator plans in years. */
const MAX_PAGES = 40;

interface Found {
  pay: CourierPay;
  /** The names of the plans in force, and of those that the courier has. */
  plans: string[];
}

async function read(courierId: number): Promise<Found> {
  const [pay, { pages }] = await Promise.all([
    courierPay.get(courierId),
    readPages(payPlans.list, MAX_PAGES),
  ]);
  const isCurrent = ({ state }: PayPlanVersion) => state === "CURRENT";
  const names = pages.flatMap((page) => page.payPlans).filter(isCurrent);
  const own = pay.terms.map(({ plan }) => plan);
  return { pay, plans: [...new Set([...names.map(({ name }) => name), ...own])].sort() };
}

export function Terms(props: { courierId: number }) {
  const found = useLoad(() => read(props.courierId), [props.courierId]);
  return (
    <Loaded of={found}>
      {(value) =>
        value.plans.length > 0 && <Form of={value} set={(pay) => found.set({ ...value, pay })} />
      }
    </Loaded>
  );
}

function Form(props: { of: Found; set: (pay: CourierPay) => void }) {
  const t = payTexts.value;
  const { pay, plans } = props.of;
  const current = pay.terms.find(({ storeId }) => storeId === null);
  const own = pay.terms.filter(({ storeId }) => storeId !== null);
  const [plan, setPlan] = useState(current?.plan ?? "");
  const [payer, setPayer] = useState<string>(current?.payer ?? "OPERATOR");
  const save = () => {
    const terms = own.map((one) => ({ ...one, storeId: one.storeId ?? 0 }));
    const shifts = current === undefined ? {} : { shiftPayer: current.shiftPayer };
    const all = plan === "" ? [] : [{ plan, payer: payer as Payer, ...shifts }];
    courierPay.set(pay.courierId, [...terms, ...all]).then((saved) => {
      props.set(saved);
      notify(t.saved);
    }, notifyError);
  };
  return (
    <section class="card stack" data-testid="terms">
      <h2>{t.terms}</h2>
      <p class="hint">{t.termsHint}</p>
      <ChoiceField
        pointer="/terms/plan"
        label={t.name}
        value={plan}
        set={setPlan}
        options={[["", t.noPay], ...plans.map((name) => [name, name] as const)]}
      />
      <ChoiceField
        pointer="/terms/payer"
        label={t.payer}
        value={payer}
        set={setPayer}
        options={Object.entries(t.payers)}
      />
      {own.length > 0 && <p class="hint">{t.ownTerms(own.length)}</p>}
      <button type="button" class="button" onClick={save}>
        {t.save}
      </button>
    </section>
  );
}
