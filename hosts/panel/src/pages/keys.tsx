import { useState } from "preact/hooks";
import { keys } from "../api/client";
import { form, newIdempotencyKey } from "../api/http";
import type { IssueKey, Key } from "../api/wire";
import { now } from "../clock";
import { texts } from "../i18n";
import { accessibleStores, logOut, session, store, storeName } from "../session";
import { decimal } from "../numbers";
import { Confirm } from "../ui/confirm";
import { CheckField, ChoiceField, TextField } from "../ui/field";
import { useLoad } from "../ui/load";
import { Empty, Loaded, Page, Secret, When } from "../ui/parts";
import { StoreChoice } from "../ui/store-choice";
import { Table, actionsColumn } from "../ui/table";
import { notify } from "../ui/toast";
import { keyTexts } from "../i18n/keys";

export function KeysPage() {
  const t = keyTexts.value;
  const [storeId, setStoreId] = useState(store.value?.id ?? 0);
  const [adding, setAdding] = useState(false);
  const [selected, setSelected] = useState<Key | null>(null);
  const [newKey, setNewKey] = useState<string | null>(null);
  const [hideSessions, setHideSessions] = useState(true);
  const list = useLoad(
    () => keys.list(storeId === store.value?.id ? undefined : storeId),
    [storeId],
  );
  const shown = (list.value?.keys ?? []).filter(
    (key) => !hideSessions || key.integratorOrigin !== "PANEL" || key.id === session.value?.keyId,
  );
  return (
    <Page
      title={t.title}
      lead={t.lead}
      aside={
        <button type="button" class="button primary" onClick={() => setAdding(true)}>
          {t.add}
        </button>
      }
    >
      {newKey !== null && <Secret lead={t.issued} value={newKey} note={t.once} />}
      <div class="filters">
        <StoreChoice value={storeId} set={setStoreId} />
        <CheckField
          pointer="/hideSessions"
          label={t.hideSessions}
          value={hideSessions}
          set={setHideSessions}
        />
      </div>
      <Loaded of={list}>
        {() =>
          shown.length === 0 ? (
            <Empty text={t.empty} hint={t.emptyHint} />
          ) : (
            <KeyTable keys={shown} onRevoke={setSelected} />
          )
        }
      </Loaded>
      {adding && (
        <NewKeyDialog
          storeId={storeId}
          close={() => setAdding(false)}
          done={(value) => {
            setAdding(false);
            setNewKey(value);
            list.reload();
          }}
        />
      )}
      {selected !== null && (
        <Confirm
          danger
          title={t.revokeTitle}
          text={selected.id === session.value?.keyId ? t.revokeOwn : t.revokeText}
          submitLabel={t.revoke}
          act={() => keys.revoke(selected.id)}
          done={() => {
            if (selected.id === session.value?.keyId) void logOut();
            else notify(t.revokedOne(selected.name ?? `#${selected.id}`));
            setSelected(null);
            list.reload();
          }}
          close={() => setSelected(null)}
        />
      )}
    </Page>
  );
}

function stateOf(key: Key): readonly ["bad" | "calm" | "good", string] {
  const t = keyTexts.value;
  if (key.deletedAt !== null) return ["bad", t.revoked];
  return Date.parse(key.expiresAt) < now.value ? ["calm", t.expired] : ["good", t.active];
}

function KeyTable(props: { keys: readonly Key[]; onRevoke: (key: Key) => void }) {
  const t = keyTexts.value;
  return (
    <Table
      label={t.title}
      rows={props.keys}
      id={(key) => key.id}
      columns={[
        { head: t.name, kind: "main", cell: (key) => <KeyName of={key} /> },
        { head: t.origin, cell: (key) => t.origins[key.integratorOrigin] ?? key.integratorOrigin },
        {
          head: t.state,
          kind: "plain",
          cell: (key) => <span class={`badge ${stateOf(key)[0]}`}>{stateOf(key)[1]}</span>,
        },
        { head: texts.value.common.created, cell: (key) => <When at={key.createdAt} full /> },
        { head: t.expires, cell: (key) => <When at={key.expiresAt} full /> },
        actionsColumn<Key>(
          (key) =>
            key.deletedAt === null && (
              <button
                type="button"
                class="button small"
                aria-label={`${t.revoke}: ${key.name ?? key.id}`}
                onClick={() => props.onRevoke(key)}
              >
                {t.revoke}
              </button>
            ),
        ),
      ]}
    />
  );
}

function KeyName(props: { of: Key }) {
  const { of } = props;
  return (
    <>
      <span class="strong">{of.name ?? `#${of.id}`}</span>
      {of.name !== null && <span class="dim number"> #{of.id}</span>}
      {of.id === session.value?.keyId && <span class="sub">{keyTexts.value.own}</span>}
    </>
  );
}

function NewKeyDialog(props: {
  storeId: number;
  close: () => void;
  done: (value: string) => void;
}) {
  const t = keyTexts.value;
  const [name, setName] = useState("");
  const [days, setDays] = useState("");
  const [storeId, setStoreId] = useState(String(props.storeId));
  const [password, setPassword] = useState("");
  const [idempotencyKey] = useState(newIdempotencyKey);
  const issue = () =>
    keys.issue(
      form<IssueKey>({
        ...(Number(storeId) === store.value?.id ? {} : { storeId: Number(storeId) }),
        ...(name.trim() === "" ? {} : { name: name.trim() }),
        ...(days.trim() === "" ? {} : { expiresInDays: decimal(days) }),
        currentPassword: password,
      }),
      idempotencyKey,
    );
  return (
    <Confirm
      title={t.add}
      submitLabel={t.submit}
      act={issue}
      done={(issued) => props.done(issued.value)}
      close={props.close}
    >
      <TextField pointer="/name" label={t.name} value={name} set={setName} optional max={255} />
      {accessibleStores.value.length > 1 && (
        <ChoiceField
          pointer="/storeId"
          label={texts.value.common.store}
          value={storeId}
          set={setStoreId}
          options={accessibleStores.value.map((one) => [String(one.id), storeName(one.id)])}
        />
      )}
      <TextField
        pointer="/expiresInDays"
        label={t.days}
        hint={t.daysHint}
        value={days}
        set={setDays}
        mode="numeric"
        optional
      />
      <TextField
        pointer="/currentPassword"
        label={t.password}
        hint={t.passwordHint}
        value={password}
        set={setPassword}
        type="password"
        complete="current-password"
      />
    </Confirm>
  );
}
