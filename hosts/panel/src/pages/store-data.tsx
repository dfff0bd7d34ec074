/** The data of the own store: name, contact, login email and address. */

import { useState } from "preact/hooks";
import { addressDraft, addressRequest, editAddress, type AddressDraft } from "../address-draft";
import { stores } from "../api/client";
import { form } from "../api/http";
import type { Store, UpdateStore } from "../api/wire";
import { createDraft } from "../draft";
import { phone, phoneFormat, phoneRequest } from "../format";
import { texts } from "../i18n";
import { createTexts } from "../i18n/create";
import { branchTexts } from "../i18n/stores";
import { postcode } from "../preview";
import { go } from "../router";
import { loadBranches, store } from "../session";
import { AddressFields } from "../ui/address";
import { ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../ui/field";
import { Page } from "../ui/parts";
import { useSubmit } from "../ui/submit";
import { notify } from "../ui/toast";

interface DataDraft {
  name: string;
  responsible: string;
  phone: string;
  email: string;
  address: AddressDraft;
}

/** Null until the user edits the stored data. */
const draft = createDraft<DataDraft | null>("store-data", () => null);

const stored = (of: Store): DataDraft => ({
  name: of.name,
  responsible: of.responsible.name ?? "",
  phone: phone(of.responsible.phone ?? ""),
  email: of.email,
  address: addressDraft(of.address),
});

export function StoreDataPage() {
  return store.value === null ? null : <DataForm of={store.value} />;
}

function DataForm(props: { of: Store }) {
  const t = branchTexts.value;
  // The form keeps what it shows while it is saved.
  const [before] = useState(() => stored(props.of));
  const value = draft.value ?? before;
  const set = (part: Partial<DataDraft>) => (draft.value = { ...value, ...part });
  const latest = () => (draft.value ?? before).address;
  const save = () =>
    stores.update(
      form<UpdateStore>({
        name: value.name.trim(),
        responsible: { name: value.responsible.trim(), phone: phoneRequest(value.phone) },
        email: value.email.trim(),
        address: addressRequest(value.address),
      }),
    );
  const { error, busy, submit } = useSubmit(save, (changed) => {
    store.value = changed;
    draft.value = null;
    void loadBranches();
    notify(t.saved);
    go("/stores");
  });
  return (
    <Page title={t.dataTitle} lead={t.dataNote}>
      <form class="narrow" onSubmit={submit} noValidate>
        <FieldErrors.Provider value={fieldErrorsOf(error)}>
          <ErrorBox error={error} />
          <fieldset class="card" data-first>
            <legend>{t.section.store}</legend>
            <div class="grid two">
              <TextField
                pointer="/name"
                label={t.name}
                value={value.name}
                set={(name) => set({ name })}
                max={255}
              />
              <TextField
                pointer="/email"
                label={t.email}
                value={value.email}
                set={(email) => set({ email })}
                type="email"
                mode="email"
                max={400}
              />
              <TextField
                pointer="/responsible/name"
                label={t.responsible}
                value={value.responsible}
                set={(responsible) => set({ responsible })}
                max={255}
              />
              <TextField
                pointer="/responsible/phone"
                label={t.phone}
                hint={createTexts.value.phoneHint}
                value={value.phone}
                set={(text) => set({ phone: text })}
                format={phoneFormat}
                max={32}
                type="tel"
                mode="tel"
              />
            </div>
          </fieldset>
          <fieldset class="card">
            <legend>{t.section.address}</legend>
            <AddressFields
              pointer="/address"
              value={value.address}
              set={(address) => set({ address: editAddress(latest(), address) })}
              lookup={{ find: postcode, latest }}
            />
          </fieldset>
          <div class="row">
            <button type="submit" class="button primary big" aria-disabled={busy}>
              {t.save}
            </button>
            <a class="button" href="#/stores">
              {texts.value.common.back}
            </a>
          </div>
        </FieldErrors.Provider>
      </form>
    </Page>
  );
}
