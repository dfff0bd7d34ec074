import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { stores } from "../api/client";
import { form, newIdempotencyKey } from "../api/http";
import type { CreateStore, Store } from "../api/wire";
import { createDraft } from "../draft";
import {
  addressLine,
  cnpj,
  money,
  phone,
  phoneFormat,
  phoneRequest,
  localityLine,
} from "../format";
import { texts } from "../i18n";
import { postcode } from "../preview";
import { go } from "../router";
import { accessibleStores, isParentStore, loadBranches, store } from "../session";
import { addressRequest, emptyAddress, type AddressDraft } from "../address-draft";
import { AddressFields } from "../ui/address";
import { Confirm } from "../ui/confirm";
import { ChoiceField, FieldErrors, ErrorBox, TextField, fieldErrorsOf } from "../ui/field";
import { useLoad } from "../ui/load";
import { Empty, Failure, Loading, Page, Secret } from "../ui/parts";
import { Table, actionsColumn } from "../ui/table";
import { notify } from "../ui/toast";
import { branchTexts } from "../i18n/stores";
import { createTexts } from "../i18n/create";
import { keyTexts } from "../i18n/keys";

/** The API key of the latest new branch, shown only once. */
const newBranch = signal<{ name: string; value: string } | null>(null);

export function StoresPage() {
  const t = branchTexts.value;
  const list = useLoad(() => stores.list(), []);
  const [selected, setSelected] = useState<Store | null>(null);
  if (!isParentStore.value) {
    return (
      <Page title={t.title}>
        <Empty text={t.notParent} />
        {store.value !== null && <StoreTable stores={[store.value]} onRemove={null} />}
      </Page>
    );
  }
  const own = accessibleStores.value.filter((one) => one.id === store.value?.id);
  const all =
    list.value === null
      ? accessibleStores.value
      : [...own, ...list.value.stores.filter((one) => one.id !== store.value?.id)];
  return (
    <Page
      title={t.title}
      aside={
        <a class="button primary" href="#/stores/new">
          {t.add}
        </a>
      }
    >
      {newBranch.value !== null && (
        <Secret
          lead={t.created(newBranch.value.name)}
          value={newBranch.value.value}
          note={keyTexts.value.once}
        />
      )}
      {all.length === 0 && list.error === null && <Loading />}
      {list.error !== null && <Failure error={list.error} retry={list.reload} />}
      <StoreTable stores={all} onRemove={setSelected} />
      {list.value !== null && all.length <= 1 && <Empty text={t.empty} hint={t.emptyHint} />}
      {selected !== null && (
        <Confirm
          danger
          title={t.removeTitle(selected.name)}
          text={t.removeText}
          submitLabel={texts.value.common.remove}
          act={() => stores.remove(selected.id)}
          done={() => {
            notify(t.removed(selected.name));
            setSelected(null);
            list.reload();
            void loadBranches();
          }}
          close={() => setSelected(null)}
        />
      )}
    </Page>
  );
}

function StoreTable(props: {
  stores: readonly Store[];
  onRemove: ((store: Store) => void) | null;
}) {
  const t = branchTexts.value;
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
              <span class="sub">
                {one.matrix === null ? t.parent : (t.industries[one.marketplaceBranchId] ?? "")}
              </span>
            </>
          ),
        },
        { head: t.cnpj, class: "number", cell: (one) => cnpj(one.cnpj) },
        {
          head: t.address,
          cell: (one) => (
            <>
              {addressLine(one.address)}
              <span class="sub">{localityLine(one.address)}</span>
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
        {
          head: t.balance,
          right: true,
          class: "number",
          cell: (one) => (one.balance === undefined ? "—" : money(one.balance)),
        },
        actionsColumn<Store>((one) =>
          one.id === store.value?.id ? (
            <a class="button small" href="#/stores/edit">
              {t.edit}
            </a>
          ) : (
            one.matrix !== null &&
            props.onRemove !== null && (
              <button
                type="button"
                class="button small"
                aria-label={`${texts.value.common.remove}: ${one.name}`}
                onClick={() => props.onRemove?.(one)}
              >
                {texts.value.common.remove}
              </button>
            )
          ),
        ),
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
  idempotencyKey: string;
}

const emptyStore = (): StoreDraft => ({
  name: "",
  cnpj: "",
  responsible: "",
  phone: "",
  email: "",
  branch: "1",
  address: emptyAddress(),
  idempotencyKey: newIdempotencyKey(),
});
const draft = createDraft<StoreDraft>("store", emptyStore);

export function NewStorePage() {
  const t = branchTexts.value;
  const value = draft.value;
  // Passwords are not part of the stored draft.
  const [password, setPassword] = useState("");
  const [currentPassword, setCurrentPassword] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const set = (part: Partial<StoreDraft>) =>
    (draft.value = { ...draft.value, ...part, idempotencyKey: newIdempotencyKey() });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const body = form<CreateStore>({
        name: value.name.trim(),
        cnpj: value.cnpj.trim(),
        email: value.email.trim(),
        password,
        currentPassword,
        responsible: { name: value.responsible.trim(), phone: phoneRequest(value.phone) },
        address: addressRequest(value.address),
        marketplaceBranchId: Number(value.branch) as CreateStore["marketplaceBranchId"],
      });
      const created = await stores.create(body, value.idempotencyKey);
      newBranch.value = { name: value.name.trim(), value: created.value };
      draft.value = emptyStore();
      void loadBranches();
      go("/stores");
    } catch (failure) {
      setError(failure);
    } finally {
      setBusy(false);
    }
  };
  if (!isParentStore.value)
    return (
      <Page title={t.add}>
        <Empty text={t.notParent} />
      </Page>
    );
  return (
    <Page title={t.add}>
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
                pointer="/cnpj"
                label={t.cnpj}
                value={value.cnpj}
                set={(text) => set({ cnpj: text })}
                max={18}
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
              <ChoiceField
                pointer="/marketplaceBranchId"
                label={t.industry}
                value={value.branch}
                set={(branch) => set({ branch })}
                options={Object.entries(t.industries)}
              />
            </div>
          </fieldset>
          <fieldset class="card">
            <legend>{t.section.address}</legend>
            <AddressFields
              pointer="/address"
              value={value.address}
              set={(address) => set({ address })}
              lookup={{ find: postcode, latest: () => draft.value.address }}
            />
          </fieldset>
          <fieldset class="card">
            <legend>{t.section.login}</legend>
            <div class="grid two">
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
                pointer="/password"
                label={t.password}
                hint={t.passwordHint}
                value={password}
                set={setPassword}
                type="password"
                complete="new-password"
                max={128}
              />
              <TextField
                pointer="/currentPassword"
                label={keyTexts.value.password}
                hint={keyTexts.value.passwordHint}
                value={currentPassword}
                set={setCurrentPassword}
                type="password"
                complete="current-password"
              />
            </div>
          </fieldset>
          <div class="row">
            <button type="submit" class="button primary big" aria-disabled={busy}>
              {t.submit}
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
