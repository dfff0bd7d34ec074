import { signal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { ApiError, NetworkError, form, newIdempotencyKey } from "../../api/http";
import type { CreateParentStore, CreateStore, OperatorStore } from "../../api/wire";
import { cnpj, money, phoneFormat, phoneRequest } from "../../format";
import { texts } from "../../i18n";
import { go } from "../../router";
import { amount } from "../../numbers";
import { addressRequest, emptyAddress } from "../../address-draft";
import { AddressFields } from "../../ui/address";
import {
  CheckField,
  ChoiceField,
  ErrorBox,
  FieldErrors,
  TextField,
  fieldErrorsOf,
} from "../../ui/field";
import { useLoad } from "../../ui/load";
import { Empty, Failure, Loading, Page } from "../../ui/parts";
import { useSubmit } from "../../ui/submit";
import { Table } from "../../ui/table";
import { readPages } from "../../api/pages";
import { stores } from "../api";
import { formDraft } from "../draft";
import type { PageProps } from "../page-props";
import { StoreBadges } from "../store-status";
import { storeTexts } from "../texts/stores";
import { MIN_SEARCH, SearchField, useDelayed } from "../ui/filters";
import { StorePage, newStoreKey } from "./store";
import { branchTexts } from "../../i18n/stores";
import { createTexts } from "../../i18n/create";

const MAX_PAGES = 10;

const search = signal("");

export function StoresPage(props: PageProps) {
  const [id] = props.rest;
  if (id === "new") return <NewStorePage />;
  return id === undefined ? <StoreList /> : <StorePage key={id} id={Number(id)} />;
}

function StoreList() {
  const t = storeTexts.value;
  const query = useDelayed(search.value.trim());
  const [depth, setDepth] = useState({ query, pages: 1 });
  const pages = depth.query === query ? depth.pages : 1;
  const found = useLoad(
    () =>
      readPages(
        (cursor) => stores.list(query.length < MIN_SEARCH ? undefined : query, cursor),
        pages,
      ),
    [query, pages],
    { keep: true },
  );
  const { value, error } = found;
  const problem =
    error instanceof ApiError && error.problem.code === "validation_failed" ? error.problem : null;
  const rows = value === null ? [] : value.pages.flatMap((page) => page.stores);
  return (
    <Page
      title={t.title}
      aside={
        <a class="button primary" href="#/stores/new">
          {t.add}
        </a>
      }
    >
      <div class="filters" role="search">
        <SearchField
          label={t.search}
          hint={t.searchHint}
          value={search.value}
          error={problem?.detail ?? null}
          set={(text) => (search.value = text)}
        />
      </div>
      {value === null && error === null && <Loading lines={6} />}
      {error !== null && problem === null && !(value !== null && error instanceof NetworkError) && (
        <Failure error={error} retry={found.reload} />
      )}
      {value !== null &&
        problem === null &&
        (rows.length === 0 ? <Empty text={t.empty} /> : <StoreTable stores={rows} />)}
      {value?.more != null && pages < MAX_PAGES && (
        <p class="row">
          <button
            type="button"
            class="button"
            onClick={() => setDepth({ query, pages: pages + 1 })}
          >
            {t.more}
          </button>
        </p>
      )}
    </Page>
  );
}

function StoreTable(props: { stores: readonly OperatorStore[] }) {
  const t = storeTexts.value;
  return (
    <Table
      label={t.title}
      class="open-rows"
      rows={props.stores}
      id={(one) => one.id}
      columns={[
        {
          head: branchTexts.value.name,
          kind: "main",
          cell: (one) => (
            <>
              <a href={`#/stores/${one.id}`} class="strong row-link">
                {one.name}
              </a>
              <span class="dim number"> #{one.id}</span>
            </>
          ),
        },
        { head: t.kind, cell: (one) => (one.matrix === null ? t.parent : t.branch(one.matrix.id)) },
        { head: branchTexts.value.cnpj, class: "number", cell: (one) => cnpj(one.cnpj) },
        {
          head: t.city,
          cell: (one) => [one.address.city, one.address.state].filter(Boolean).join(" – "),
        },
        { head: t.state, cell: (one) => <StoreBadges of={one} /> },
        {
          head: branchTexts.value.balance,
          right: true,
          class: "number",
          cell: (one) => (one.balance === undefined ? "—" : money(one.balance)),
        },
      ]}
    />
  );
}

const newDraft = formDraft("store", () => ({
  name: "",
  cnpj: "",
  responsible: "",
  phone: "",
  email: "",
  branch: "1",
  sandbox: false,
  isPrepaid: false,
  floor: "0",
  address: emptyAddress(),
}));

/** A password that is never shown: the store sets its own with a link. */
function randomPassword(): string {
  return [...crypto.getRandomValues(new Uint8Array(24))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("");
}

function NewStorePage() {
  const t = storeTexts.value;
  const panel = branchTexts.value;
  const draft = newDraft("new");
  const { value, set } = draft;
  // The password is not stored, so that it and the key are new after a reload; the CNPJ and the email prevent a second store.
  const attempt = useMemo(
    () => ({ key: newIdempotencyKey(), password: randomPassword() }),
    [JSON.stringify(value)],
  );
  const create = () => {
    const body = form<CreateParentStore>({
      name: value.name.trim(),
      cnpj: value.cnpj.trim(),
      email: value.email.trim(),
      password: attempt.password,
      sandbox: value.sandbox,
      responsible: { name: value.responsible.trim(), phone: phoneRequest(value.phone) },
      address: addressRequest(value.address),
      marketplaceBranchId: Number(value.branch) as CreateStore["marketplaceBranchId"],
      ...(value.isPrepaid ? { prepaidFloor: amount(value.floor) ?? 0 } : {}),
    });
    return stores.create(body, attempt.key);
  };
  const { error, busy, submit } = useSubmit(create, (created) => {
    newStoreKey.value = { id: Number(created.storeId), value: created.value };
    draft.clear();
    go(`/stores/${created.storeId}`);
  });
  return (
    <Page title={t.add}>
      <form class="narrow" onSubmit={submit} noValidate>
        <FieldErrors.Provider value={fieldErrorsOf(error)}>
          <ErrorBox error={error} />
          <fieldset class="card" data-first>
            <legend>{panel.section.store}</legend>
            <div class="grid two">
              <TextField
                pointer="/name"
                label={panel.name}
                value={value.name}
                set={(name) => set({ name })}
                max={255}
              />
              <TextField
                pointer="/cnpj"
                label={panel.cnpj}
                value={value.cnpj}
                set={(text) => set({ cnpj: text })}
                max={18}
              />
              <TextField
                pointer="/responsible/name"
                label={panel.responsible}
                value={value.responsible}
                set={(responsible) => set({ responsible })}
                max={255}
              />
              <TextField
                pointer="/responsible/phone"
                label={panel.phone}
                hint={createTexts.value.phoneHint}
                value={value.phone}
                set={(text) => set({ phone: text })}
                format={phoneFormat}
                max={32}
                type="tel"
                mode="tel"
              />
              <TextField
                pointer="/email"
                label={panel.email}
                hint={t.passwordNote}
                value={value.email}
                set={(email) => set({ email })}
                type="email"
                mode="email"
                max={400}
              />
              <ChoiceField
                pointer="/marketplaceBranchId"
                label={panel.industry}
                value={value.branch}
                set={(branch) => set({ branch })}
                options={Object.entries(panel.industries)}
              />
            </div>
          </fieldset>
          <fieldset class="card">
            <legend>{panel.section.address}</legend>
            <AddressFields
              pointer="/address"
              value={value.address}
              set={(address) => set({ address })}
            />
          </fieldset>
          <fieldset class="card">
            <legend>{panel.balance}</legend>
            <div class="grid two">
              <CheckField
                pointer="/isPrepaid"
                label={t.prepaid}
                hint={t.prepaidHint}
                value={value.isPrepaid}
                set={(isPrepaid) => set({ isPrepaid })}
              />
              {value.isPrepaid && (
                <TextField
                  pointer="/prepaidFloor"
                  label={t.floor}
                  hint={t.floorHint}
                  value={value.floor}
                  set={(floor) => set({ floor })}
                  max={12}
                />
              )}
              <CheckField
                pointer="/sandbox"
                label={t.sandboxField}
                hint={t.sandboxHint}
                value={value.sandbox}
                set={(sandbox) => set({ sandbox })}
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
