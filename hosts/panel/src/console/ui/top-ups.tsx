/** The requests of a store for top-ups by Pix, which the operator confirms. */

import { useState } from "preact/hooks";
import { newIdempotencyKey } from "../../api/http";
import type { TopUp } from "../../api/wire";
import { money } from "../../format";
import { paymentTexts } from "../../i18n/payments";
import { topUpColumns } from "../../pages/top-ups";
import { Confirm } from "../../ui/confirm";
import { useLoad } from "../../ui/load";
import { Table, actionsColumn } from "../../ui/table";
import { notify } from "../../ui/toast";
import { stores } from "../api";
import { storeTexts } from "../texts/stores";

export function TopUpRequests(props: { storeId: number; changed: () => void }) {
  const t = paymentTexts.value;
  const { storeId } = props;
  const list = useLoad(() => stores.topUps(storeId), [storeId]);
  const [chosen, setChosen] = useState<TopUp | null>(null);
  const known = list.value?.topUps ?? [];
  if (known.length === 0) return null;
  const action = (one: TopUp) =>
    one.state === "CONFIRMED" ? null : (
      <button
        type="button"
        class="button small"
        aria-label={`${t.confirm}: ${one.txid}`}
        onClick={() => setChosen(one)}
      >
        {t.confirm}
      </button>
    );
  return (
    <section class="card top-ups" data-testid="top-up-requests">
      <h2>{t.requests}</h2>
      <p class="hint">{t.requestsHint}</p>
      <Table
        label={t.requests}
        rows={known}
        id={(one) => one.txid}
        columns={[...topUpColumns(), actionsColumn(action)]}
      />
      {chosen !== null && (
        <Confirm
          title={t.confirmTitle(money(chosen.amount))}
          text={<p>{t.confirmText}</p>}
          submitLabel={t.confirm}
          act={() =>
            stores.topUp(
              storeId,
              { amount: chosen.amount, reference: chosen.txid },
              newIdempotencyKey(),
            )
          }
          done={() => {
            setChosen(null);
            notify(storeTexts.value.toppedUp);
            list.reload();
            props.changed();
          }}
          close={() => setChosen(null)}
        />
      )}
    </section>
  );
}
