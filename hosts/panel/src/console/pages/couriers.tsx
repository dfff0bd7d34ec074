import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import type { CourierRecord } from "../../api/wire";
import { phone, phoneFormat, phoneRequest } from "../../format";
import { thousandths } from "../../load";
import { go } from "../../router";
import { decimal } from "../../numbers";
import { CheckField, ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../../ui/field";
import { Empty, Loaded, Page } from "../../ui/parts";
import { useSubmit } from "../../ui/submit";
import { Table } from "../../ui/table";
import { readPages } from "../../api/pages";
import { PAGE_SIZE, couriers } from "../api";
import { CourierBadge, lastHeard, stateOf } from "../courier-state";
import { formDraft } from "../draft";
import type { PageProps } from "../page-props";
import { usePolled } from "../poll";
import { courierTexts } from "../texts/couriers";
import { mapTexts, type CourierState } from "../texts/map";
import { SearchField } from "../ui/filters";
import { DEFAULT_VEHICLE, EQUIPMENT, EquipmentFields, VehicleFields } from "../ui/vehicle-fields";
import { CourierPage, newCourierKey } from "./courier";

const POLL_MS = 30_000;
const MAX_PAGES = 10;
const STATES = ["available", "trip", "stuck", "silent", "off", "suspended", "removed"] as const;
const MAX_ROWS = 200;

const search = signal("");
const state = signal<CourierState | "">("");

export function CouriersPage(props: PageProps) {
  const [id] = props.rest;
  if (id === "new") return <NewCourierPage />;
  return id === undefined ? <CourierList /> : <CourierPage key={id} id={Number(id)} />;
}

const plain = (text: string): string => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();

/** Whether a courier has all words of the search in the name, phone or ID. */
function isMatch(courier: CourierRecord, words: readonly string[]): boolean {
  const text = plain(`${courier.name} ${courier.phone} ${phone(courier.phone)} #${courier.id}`);
  return words.every((word) => text.includes(word));
}

function CourierList() {
  const t = courierTexts.value;
  const found = usePolled(
    () => readPages((cursor) => couriers.list(cursor), MAX_PAGES),
    [],
    POLL_MS,
  );
  const [limit, setLimit] = useState(MAX_ROWS);
  return (
    <Page
      title={t.title}
      aside={
        <a class="button primary" href="#/couriers/new">
          {t.add}
        </a>
      }
    >
      <div class="filters" role="search">
        <SearchField
          label={t.search}
          hint={t.searchHint}
          value={search.value}
          set={(text) => (search.value = text)}
        />
        <label class="inline">
          <span>{t.state}</span>
          <select
            value={state.value}
            onChange={(event) => (state.value = event.currentTarget.value as CourierState | "")}
          >
            <option value="">{t.any}</option>
            {STATES.map((one) => (
              <option key={one} value={one}>
                {mapTexts.value.states[one]}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Loaded of={found} lines={6}>
        {({ pages, more }) => {
          const words = plain(search.value).split(/\s+/).filter(Boolean);
          const all = pages
            .flatMap((page) => page.couriers)
            .map((courier) => ({ courier, state: stateOf(courier) }));
          const rows = all.filter(
            (one) =>
              (state.value === "" ? one.state !== "removed" : one.state === state.value) &&
              isMatch(one.courier, words),
          );
          return (
            <>
              {rows.length === 0 ? (
                <Empty text={t.empty} />
              ) : (
                <CourierTable rows={rows.slice(0, limit)} />
              )}
              {rows.length > limit && (
                <p class="row">
                  <button type="button" class="button" onClick={() => setLimit(limit + MAX_ROWS)}>
                    {t.more}
                  </button>
                </p>
              )}
              {more !== null && (
                <p class="hint">{mapTexts.value.moreCouriers(MAX_PAGES * PAGE_SIZE)}</p>
              )}
            </>
          );
        }}
      </Loaded>
    </Page>
  );
}

function CourierTable(props: { rows: readonly { courier: CourierRecord; state: CourierState }[] }) {
  const t = courierTexts.value;
  return (
    <Table
      label={t.title}
      class="open-rows"
      rows={props.rows}
      id={({ courier }) => courier.id}
      columns={[
        {
          head: t.name,
          kind: "main",
          cell: ({ courier }) => (
            <>
              <a href={`#/couriers/${courier.id}`} class="strong row-link">
                {courier.name}
              </a>
              <span class="dim number"> #{courier.id}</span>
            </>
          ),
        },
        { head: t.state, cell: (row) => <CourierBadge state={row.state} /> },
        { head: t.phone, class: "number", cell: ({ courier }) => phone(courier.phone) },
        {
          head: t.trip,
          cell: ({ courier }) =>
            tripOf(courier)
              .map((id) => `#${id}`)
              .join(", ") || "—",
        },
        {
          head: t.position,
          cell: ({ courier }) =>
            courier.positionAt === null && courier.stuckSince === undefined
              ? "—"
              : lastHeard(courier),
        },
      ]}
    />
  );
}

/** The IDs of the orders of the current trip. */
function tripOf(courier: CourierRecord): readonly number[] {
  return courier.orderIds ?? (courier.orderId === null ? [] : [courier.orderId]);
}

const newDraft = formDraft("courier", () => ({
  name: "",
  phone: "",
  email: "",
  document: "",
  profileId: "",
  sandbox: false,
  vehicle: "",
  weight: "",
  volume: "",
  equipment: [...EQUIPMENT] as string[],
}));

function NewCourierPage() {
  const t = courierTexts.value;
  const draft = newDraft("new");
  const { value, set } = draft;
  const create = () => {
    const optional = {
      email: value.email.trim(),
      document: value.document.trim(),
      profileId: decimal(value.profileId),
      vehicle: value.vehicle ?? "",
      maxWeightGrams: thousandths(value.weight ?? ""),
      maxVolumeMillilitres: thousandths(value.volume ?? ""),
    };
    const present = Object.fromEntries(
      Object.entries(optional).filter(([, one]) => one !== "" && one !== undefined),
    );
    const body = {
      name: value.name.trim(),
      phone: phoneRequest(value.phone),
      sandbox: value.sandbox,
      equipment: value.equipment ?? EQUIPMENT,
      ...present,
    };
    return couriers.create(body, draft.key());
  };
  const { error, busy, submit } = useSubmit(create, (created) => {
    newCourierKey.value = { id: created.id, value: created.value };
    draft.clear();
    go(`/couriers/${created.id}`);
  });
  return (
    <Page title={t.add}>
      <form class="narrow" onSubmit={submit} noValidate>
        <FieldErrors.Provider value={fieldErrorsOf(error)}>
          <ErrorBox error={error} />
          <div class="card grid two" data-first>
            <TextField
              pointer="/name"
              label={t.name}
              value={value.name}
              set={(name) => set({ name })}
              max={255}
            />
            <TextField
              pointer="/phone"
              label={t.phone}
              hint={t.phoneHint}
              value={value.phone}
              set={(text) => set({ phone: text })}
              format={phoneFormat}
              type="tel"
              mode="tel"
              max={32}
            />
            <TextField
              pointer="/email"
              label={t.email}
              value={value.email}
              set={(email) => set({ email })}
              type="email"
              mode="email"
              max={400}
              optional
            />
            <TextField
              pointer="/document"
              label={t.document}
              value={value.document}
              set={(document) => set({ document })}
              max={64}
              optional
            />
            <TextField
              pointer="/profileId"
              label={t.profile}
              value={value.profileId}
              set={(profileId) => set({ profileId })}
              mode="numeric"
              max={16}
              optional
            />
            <VehicleFields
              vehicle={value.vehicle || DEFAULT_VEHICLE}
              weight={value.weight ?? ""}
              volume={value.volume ?? ""}
              set={set}
            />
            <EquipmentFields
              value={value.equipment ?? EQUIPMENT}
              set={(equipment) => set({ equipment })}
            />
            <CheckField
              pointer="/sandbox"
              label={t.sandbox}
              hint={t.sandboxHint}
              value={value.sandbox}
              set={(sandbox) => set({ sandbox })}
            />
          </div>
          <div class="row">
            <button type="submit" class="button primary big" aria-disabled={busy}>
              {t.submit}
            </button>
          </div>
        </FieldErrors.Provider>
      </form>
    </Page>
  );
}
