/** Imports orders from a CSV file: choose, check, create. */

import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError, invalidFields } from "../api/http";
import { countUnread } from "../attention";
import { money } from "../format";
import { language } from "../i18n";
import { importTexts } from "../i18n/import";
import { COLUMNS, columnName } from "../import/columns";
import { MAX_BYTES, csvFile, decodeFile, writeCsv } from "../import/csv";
import {
  checkRows,
  count,
  createRows,
  endJob,
  job,
  running,
  source,
  startJob,
  waiting,
  type Row,
} from "../import/job";
import { accessibleStores, store } from "../session";
import { ErrorBox, Field, FieldErrors, TextField, fieldErrorsOf } from "../ui/field";
import { Page } from "../ui/parts";
import { StoreChoice } from "../ui/store-choice";
import { Table } from "../ui/table";
import { notify, notifyError } from "../ui/toast";
import { saveFile } from "./order-proofs";
import "../styles/import.css";
import { createTexts } from "../i18n/create";
import { orderListTexts } from "../i18n/orders";

export function ImportPage() {
  const t = importTexts.value;
  const stop = useRef(new AbortController());
  // A stopped phase keeps its rows; the page resumes the check, and the user resumes the creation.
  useEffect(() => {
    if (count.peek().unchecked > 0) check();
    return () => stop.current.abort();
  }, []);
  const restart = () => {
    stop.current.abort();
    stop.current = new AbortController();
    return stop.current.signal;
  };
  const check = () => void checkRows(restart()).catch(notifyError);
  const create = () => {
    createRows(restart()).then(() => {
      if (count.peek().open === 0) notify(t.done(count.peek().created));
      void countUnread();
    }, notifyError);
  };
  return (
    <Page title={t.title} lead={t.lead}>
      {job.value === null ? (
        <Source check={check} />
      ) : (
        <Result check={check} create={create} stop={() => stop.current.abort()} />
      )}
    </Page>
  );
}

function Source(props: { check: () => void }) {
  const t = importTexts.value;
  const [error, setError] = useState<ApiError | null>(null);
  const [storeId, setStoreId] = useState(store.value?.id ?? 0);
  const reject = (pointer: string, detail: string) =>
    setError(new ApiError(invalidFields([{ pointer, code: "invalid_value", detail }])));
  /** Starts the check of a text of the field, which the error names. */
  const start = (text: string, pointer: string) => {
    const reason = text.length > MAX_BYTES ? t.tooLarge : startJob(text, String(storeId));
    if (reason === null) props.check();
    else reject(pointer, reason);
  };
  const read = (file: File | undefined) => {
    if (file === undefined) return;
    if (file.size > MAX_BYTES) return reject("/file", t.tooLarge);
    file.arrayBuffer().then((bytes) => {
      source.value = decodeFile(bytes);
      start(source.value, "/file");
    }, notifyError);
  };
  return (
    <div class="narrow">
      <form
        class="card import-source"
        data-first
        onSubmit={(event) => {
          event.preventDefault();
          start(source.value, "/csv");
        }}
        noValidate
      >
        <FieldErrors.Provider value={fieldErrorsOf(error)}>
          <ErrorBox error={error} />
          {accessibleStores.value.length > 1 && <StoreChoice value={storeId} set={setStoreId} />}
          <Field pointer="/file" label={t.file}>
            {(attributes) => (
              <input
                {...attributes}
                type="file"
                accept=".csv,text/csv,text/plain"
                onChange={(event) => read(event.currentTarget.files?.[0])}
              />
            )}
          </Field>
          <TextField
            pointer="/csv"
            label={t.paste}
            value={source.value}
            set={(text) => (source.value = text)}
            max={MAX_BYTES}
            lines={8}
          />
        </FieldErrors.Provider>
        <div class="row">
          <button type="submit" class="button primary">
            {t.check}
          </button>
          <button type="button" class="button" onClick={saveTemplate}>
            {t.template}
          </button>
        </div>
      </form>
      <Columns />
    </div>
  );
}

const nameIndex = () => (language.value === "pt" ? 1 : 0);

function saveTemplate(): void {
  saveFile(
    csvFile(
      writeCsv([COLUMNS.map((column) => column[nameIndex()]), COLUMNS.map((column) => column[2])]),
    ),
    language.value === "pt" ? "modelo-pedidos.csv" : "orders-template.csv",
  );
}

function Columns() {
  const t = importTexts.value;
  return (
    <section class="card">
      <h2>{t.columns}</h2>
      <p class="hint">{t.columnsHint}</p>
      <dl class="import-columns">
        {COLUMNS.map((column) => (
          <div key={column[0]}>
            <dt>
              <code>{column[nameIndex()]}</code>
            </dt>
            <dd class="dim">{column[2] || "—"}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Result(props: { check: () => void; create: () => void; stop: () => void }) {
  const t = importTexts.value;
  const found = count.value;
  const phase = running.value;
  const rows = job.value?.rows ?? [];
  const ignored = job.value?.ignored ?? [];
  const isChecked = found.unchecked === 0;
  return (
    <>
      <div class="card import-summary">
        <div role="status">
          {!isChecked && <p>{t.checking(found.all - found.unchecked, found.all)}</p>}
          {isChecked && !found.started && (
            <p class="strong">{t.summary(found.open, money(found.total))}</p>
          )}
          {isChecked && found.started && (
            <p class="strong">{t.progress(found.created, found.all - found.invalid)}</p>
          )}
          {isChecked && found.invalid > 0 && <p class="warn-text">{t.invalid(found.invalid)}</p>}
          {ignored.length > 0 && <p class="warn-text">{t.ignored(ignored.join(", "))}</p>}
          {waiting.value && <p class="warn-text">{t.waiting}</p>}
        </div>
        <div class="row">
          {phase === null && isChecked && found.open > 0 && (
            <button type="button" class="button primary" onClick={props.create}>
              {found.started ? t.resume(found.open) : t.create(found.open)}
            </button>
          )}
          {phase === null && !isChecked && (
            <button type="button" class="button primary" onClick={props.check}>
              {t.check}
            </button>
          )}
          {phase !== null && (
            <button type="button" class="button" onClick={props.stop}>
              {t.stop}
            </button>
          )}
          {phase === null && (
            <button type="button" class="button" onClick={endJob}>
              {t.again}
            </button>
          )}
        </div>
      </div>
      <RowTable rows={rows} />
    </>
  );
}

const TONES = {
  unchecked: "",
  checking: "",
  ready: "move",
  invalid: "bad",
  sending: "wait",
  created: "good",
  failed: "bad",
};

function RowTable(props: { rows: readonly Row[] }) {
  const t = importTexts.value;
  const address = (row: Row) => row.draft.deliveries[0]?.address;
  return (
    <Table
      label={t.title}
      class="tight import-rows"
      rows={props.rows}
      id={(row) => row.line}
      columns={[
        {
          head: orderListTexts.value.code,
          kind: "main",
          cell: (row) =>
            row.orderId === null ? (
              <strong>{row.draft.code || "—"}</strong>
            ) : (
              <a class="strong" href={`#/orders/${row.orderId}`}>
                {row.draft.code}
              </a>
            ),
        },
        { head: t.line, class: "number", cell: (row) => row.line },
        {
          head: createTexts.value.name,
          cell: (row) => (
            <>
              {row.draft.deliveries[0]?.name}
              <span class="sub">
                {[address(row)?.street, address(row)?.number].filter(Boolean).join(", ")}
              </span>
            </>
          ),
        },
        { head: t.result, cell: (row) => <RowResult of={row} /> },
        {
          head: t.price,
          right: true,
          class: "number",
          cell: (row) =>
            row.fee === null ? (
              "—"
            ) : (
              <>
                {money(row.fee)}
                {row.estimated && <span class="sub warn-text">{t.estimated}</span>}
              </>
            ),
        },
      ]}
    />
  );
}

function RowResult(props: { of: Row }) {
  const t = importTexts.value;
  const { of } = props;
  return (
    <>
      <span class={`badge ${TONES[of.state]}`}>{t.states[of.state]}</span>
      {of.problem !== null && <span class="field-error"> {of.problem}</span>}
      {of.errors.map((error) => (
        <span key={error.pointer + error.code} class="sub late import-error">
          <code>{columnName(error.pointer, language.value === "pt")}</code>: {error.detail}
        </span>
      ))}
    </>
  );
}
