import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { stores } from "../api/client";
import { intention } from "../api/http";
import type { Store } from "../api/wire";
import { kept } from "../draft";
import { addressLine, cnpj, money, phone, placeLine } from "../format";
import { texts } from "../i18n";
import { postcode } from "../preview";
import { go } from "../router";
import { family, isMatrix, loadBranches, store } from "../session";
import { AddressFields, noAddress, sentAddress, type AddressDraft } from "../ui/address";
import { Confirm } from "../ui/confirm";
import { ChoiceField, FieldErrors, ErrorBox, TextField, fieldErrorsOf } from "../ui/field";
import { useLoad } from "../ui/load";
import { Empty, Failure, Loading, Page, Secret } from "../ui/parts";
import { Table, acts } from "../ui/table";
import { notify } from "../ui/toast";

/** The key of the branch that was created last, shown once. */
const fresh = signal<{ name: string; value: string } | null>(null);

export function StoresPage() {
  const t = texts.value.stores;
  const list = useLoad(() => stores.list(), []);
  const [leaving, setLeaving] = useState<Store | null>(null);
  if (!isMatrix.value) {
    return (
      <Page title={t.title}>
        <Empty text={t.notMatrix} />
        {store.value !== null && <StoreTable stores={[store.value]} leave={null} />}
      </Page>
    );
  }
  const own = family.value.filter((one) => one.id === store.value?.id);
  const all = list.value === null ? family.value : [...own, ...list.value.stores.filter((one) => one.id !== store.value?.id)];
  return (
    <Page title={t.title} aside={<a class="button primary" href="#/stores/new">{t.add}</a>}>
      {fresh.value !== null && <Secret lead={t.created(fresh.value.name)} value={fresh.value.value} note={t.once} />}
      {all.length === 0 && list.error === null && <Loading />}
      {list.error !== null && <Failure error={list.error} retry={list.again} />}
      <StoreTable stores={all} leave={setLeaving} />
      {list.value !== null && all.length <= 1 && <Empty text={t.empty} hint={t.emptyHint} />}
      {leaving !== null && (
        <Confirm
          danger
          title={t.removeTitle(leaving.name)}
          text={t.removeText}
          yes={texts.value.common.remove}
          act={() => stores.remove(leaving.id)}
          done={() => {
            notify(t.removed(leaving.name));
            setLeaving(null);
            list.again();
            void loadBranches();
          }}
          close={() => setLeaving(null)}
        />
      )}
    </Page>
  );
}

function StoreTable(props: { stores: readonly Store[]; leave: ((store: Store) => void) | null }) {
  const t = texts.value.stores;
  return (
    <Table
      label={t.title}
      rows={props.stores}
      id={(one) => one.id}
      columns={[
        {
          head: t.name,
          kind: "main",
          cell: (one) => (
            <>
              <span class="strong">{one.name}</span>
              <span class="dim number"> #{one.id}</span>
              <span class="sub">{one.matrix === null ? t.matrix : (t.business[one.marketplaceBranchId] ?? "")}</span>
            </>
          ),
        },
        { head: t.cnpj, class: "number", cell: (one) => cnpj(one.cnpj) },
        {
          head: t.address,
          cell: (one) => (
            <>
              {addressLine(one.address)}
              <span class="sub">{placeLine(one.address)}</span>
            </>
          ),
        },
        {
          head: t.contact,
          cell: (one) => (
            <>
              {one.responsible.name}
              <span class="sub">{phone(one.responsible.phone ?? "")}</span>
              <span class="sub break">{one.email}</span>
            </>
          ),
        },
        { head: t.balance, right: true, class: "number", cell: (one) => money(one.balance) },
        acts<Store>((one) => one.matrix !== null && props.leave !== null && (
          <button type="button" class="button small" aria-label={`${texts.value.common.remove}: ${one.name}`} onClick={() => props.leave?.(one)}>
            {texts.value.common.remove}
          </button>
        )),
      ]}
    />
  );
}

interface StoreDraft {
  name: string;
  cnpj: string;
  responsible: string;
  phone: string;
  email: string;
  branch: string;
  address: AddressDraft;
  intention: string;
}

const emptyStore = (): StoreDraft => ({
  name: "", cnpj: "", responsible: "", phone: "", email: "", branch: "1", address: noAddress(), intention: intention(),
});
const draft = kept<StoreDraft>("store", emptyStore);

export function NewStorePage() {
  const t = texts.value.stores;
  const value = draft.value;
  // Passwords are kept nowhere but in this form.
  const [password, setPassword] = useState("");
  const [currentPassword, setCurrentPassword] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const set = (part: Partial<StoreDraft>) => (draft.value = { ...draft.value, ...part, intention: intention() });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const body = {
        name: value.name.trim(), cnpj: value.cnpj.trim(), email: value.email.trim(), password, currentPassword,
        responsible: { name: value.responsible.trim(), phone: value.phone.trim() },
        address: sentAddress(value.address), marketplaceBranchId: Number(value.branch),
      };
      const created = await stores.create(body, value.intention);
      fresh.value = { name: value.name.trim(), value: created.value };
      draft.value = emptyStore();
      void loadBranches();
      go("/stores");
    } catch (fault) {
      setError(fault);
    } finally {
      setBusy(false);
    }
  };
  if (!isMatrix.value) return <Page title={t.add}><Empty text={t.notMatrix} /></Page>;
  const zipGiven = (zip: string) => {
    void postcode(zip).then((found) => {
      if (found !== null) set({ address: { ...draft.value.address, city: found.city, state: found.state } });
    });
  };
  return (
    <Page title={t.add}>
      <form class="narrow" onSubmit={submit} noValidate>
        <FieldErrors.Provider value={fieldErrorsOf(error)}>
          <ErrorBox error={error} />
          <fieldset class="card">
            <legend>{t.section.store}</legend>
            <div class="grid two">
              <TextField at="/name" label={t.name} value={value.name} set={(name) => set({ name })} max={255} />
              <TextField at="/cnpj" label={t.cnpj} value={value.cnpj} set={(text) => set({ cnpj: text })} max={18} />
              <TextField at="/responsible/name" label={t.responsible} value={value.responsible} set={(responsible) => set({ responsible })} max={255} />
              <TextField at="/responsible/phone" label={t.phone} hint={texts.value.create.phoneHint} value={value.phone} set={(text) => set({ phone: text })} type="tel" mode="tel" />
              <ChoiceField at="/marketplaceBranchId" label={t.branch} value={value.branch} set={(branch) => set({ branch })} options={Object.entries(t.business)} />
            </div>
          </fieldset>
          <fieldset class="card">
            <legend>{t.section.address}</legend>
            <AddressFields at="/address" value={value.address} set={(address) => set({ address })} zipGiven={zipGiven} />
          </fieldset>
          <fieldset class="card">
            <legend>{t.section.login}</legend>
            <div class="grid two">
              <TextField at="/email" label={t.email} value={value.email} set={(email) => set({ email })} type="email" mode="email" max={400} />
              <TextField at="/password" label={t.password} hint={t.passwordHint} value={password} set={setPassword} type="password" complete="new-password" max={128} />
              <TextField at="/currentPassword" label={texts.value.keys.password} hint={texts.value.keys.passwordHint} value={currentPassword} set={setCurrentPassword} type="password" complete="current-password" />
            </div>
          </fieldset>
          <div class="row">
            <button type="submit" class="button primary big" aria-disabled={busy}>{t.submit}</button>
            <a class="button" href="#/stores">{texts.value.common.back}</a>
          </div>
        </FieldErrors.Provider>
      </form>
    </Page>
  );
}
