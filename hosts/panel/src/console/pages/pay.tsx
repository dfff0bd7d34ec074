/** The versions of the pay plans; `pay/draft` is the editor. */

import type { PayPlanVersion } from "../../api/wire";
import type { PageProps } from "../page-props";
import { payPlans } from "../pay/api";
import { DRAFT, emptyPlan, planDraft, typedPlan } from "../pay/draft";
import { PlanEditor } from "../pay/editor";
import { payTexts } from "../texts/pay";
import { tariffTexts } from "../texts/tariffs";
import { Versions, created } from "../versions";

export function PayPage(props: PageProps) {
  return props.rest[0] === "draft" ? <PlanEditor /> : <PlanVersions />;
}

const AMOUNTS = ["perTrip", "perDelivery", "perKm"] as const;

function PlanVersions() {
  const t = payTexts.value;
  const draft = planDraft(DRAFT);
  return (
    <Versions<PayPlanVersion>
      texts={t}
      draft="/pay/draft"
      hasDraft={draft.value.plan !== null}
      create={{
        label: t.create,
        fill: () => draft.set({ name: "", plan: emptyPlan(), effective: "" }),
      }}
      empty={{ text: t.none, hint: t.noneHint }}
      read={async (cursor) => {
        const page = await payPlans.list(cursor);
        return { rows: page.payPlans, next: page.nextCursor };
      }}
      versionOf={(row) => row.plan.version}
      head={t.name}
      name={({ name, createdAt, plan }) => ({
        title: name,
        note: `${tariffTexts.value.version} ${plan.version} · ${created(createdAt)}`,
      })}
      amounts={AMOUNTS.map((amount) => ({ head: t.names[amount], of: (row) => row.plan[amount] }))}
      copy={({ name, plan }, version) =>
        draft.set({ name, plan: { ...typedPlan(plan), version }, effective: "" })
      }
      remove={payPlans.remove}
    />
  );
}
