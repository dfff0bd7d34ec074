/** A store's settings for payments at the door. */

import { useState } from "preact/hooks";
import { policies } from "../api/client";
import type { Settle, StorePayments } from "../api/wire";
import { peopleTexts } from "../i18n/people";
import { paymentTexts } from "../i18n/payments";
import { ChoiceField, ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../ui/field";
import { useSubmit } from "../ui/submit";

const SETTLES: readonly Settle[] = ["PER_ORDER", "AT_SHIFT_END"];

export function PaymentsForm(props: { id: number; value: StorePayments; onSaved: () => void }) {
  const t = paymentTexts.value;
  const [settle, setSettle] = useState(props.value.settle);
  const [key, setKey] = useState(props.value.pix?.key ?? "");
  const [name, setName] = useState(props.value.pix?.name ?? "");
  const [city, setCity] = useState(props.value.pix?.city ?? "");
  const form = useSubmit(
    () =>
      policies.setPayments(props.id, {
        settle,
        pix: key.trim() === "" ? null : { key, name: name || null, city: city || null },
      }),
    (saved) => {
      setKey(saved.pix?.key ?? "");
      setName(saved.pix?.name ?? "");
      setCity(saved.pix?.city ?? "");
      props.onSaved();
    },
  );
  return (
    <form class="card" onSubmit={form.submit} noValidate data-testid="payments">
      <h2>{t.title}</h2>
      <FieldErrors.Provider value={fieldErrorsOf(form.error)}>
        <ErrorBox error={form.error} />
        <ChoiceField
          pointer="/settle"
          label={t.settle}
          hint={t.settleHint}
          value={settle}
          set={(chosen) => setSettle(chosen as Settle)}
          options={SETTLES.map((one) => [one, t.settles[one]] as const)}
        />
        <TextField
          pointer="/pix/key"
          label={t.key}
          hint={t.keyHint}
          optional
          value={key}
          set={setKey}
          max={77}
        />
        <TextField
          pointer="/pix/name"
          label={t.name}
          hint={t.defaultHint}
          optional
          value={name}
          set={setName}
          max={255}
        />
        <TextField
          pointer="/pix/city"
          label={t.city}
          hint={t.defaultHint}
          optional
          value={city}
          set={setCity}
          max={255}
        />
      </FieldErrors.Provider>
      <button type="submit" class="button primary" aria-disabled={form.busy}>
        {peopleTexts.value.save}
      </button>
    </form>
  );
}
