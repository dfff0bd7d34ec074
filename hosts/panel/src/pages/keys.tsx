import { useState } from "preact/hooks";
import { keys } from "../api/client";
import { intention } from "../api/http";
import type { Key } from "../api/wire";
import { now } from "../clock";
import { texts } from "../i18n";
import { family, logOut, session, store, storeName } from "../session";
import { decimal } from "../ui/address";
import { Confirm } from "../ui/confirm";
import { CheckField, ChoiceField, TextField } from "../ui/field";
import { StoreChoice } from "../ui/filters";
import { useLoad } from "../ui/load";
import { Empty, Loaded, Page, Secret, When } from "../ui/parts";
import { Table, acts } from "../ui/table";
import { notify } from "../ui/toast";

export function KeysPage() {
  const t = texts.value.keys;
  const [of, setOf] = useState(store.value?.id ?? 0);
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Key | null>(null);
  const [fresh, setFresh] = useState<string | null>(null);
  const [calm, setCalm] = useState(true);
  const list = useLoad(() => keys.list(of === store.value?.id ? undefined : of), [of]);
  const shown = (list.value?.keys ?? []).filter((key) => !calm || key.integratorOrigin !== "PANEL" || key.id === session.value?.keyId);
  return (
    <Page title={t.title} lead={t.lead} aside={<button type="button" class="button primary" onClick={() => setAdding(true)}>{t.add}</button>}>
      {fresh !== null && <Secret lead={t.issued} value={fresh} note={texts.value.stores.once} />}
      <div class="filters">
        <StoreChoice value={of} set={setOf} />
        <CheckField at="/calm" label={t.hideSessions} value={calm} set={setCalm} />
      </div>
      <Loaded of={list}>
        {() => (shown.length === 0 ? <Empty text={t.empty} hint={t.emptyHint} /> : <KeyTable keys={shown} leave={setLeaving} />)}
      </Loaded>
      {adding && (
        <NewKeyDialog
          storeId={of}
          close={() => setAdding(false)}
          done={(value) => {
            setAdding(false);
            setFresh(value);
            list.again();
          }}
        />
      )}
      {leaving !== null && (
        <Confirm
          danger
          title={t.revokeTitle}
          text={leaving.id === session.value?.keyId ? t.revokeOwn : t.revokeText}
          yes={t.revoke}
          act={() => keys.revoke(leaving.id)}
          done={() => {
            if (leaving.id === session.value?.keyId) void logOut();
            else notify(t.revokedOne(leaving.name ?? `#${leaving.id}`));
            setLeaving(null);
            list.again();
          }}
          close={() => setLeaving(null)}
        />
      )}
    </Page>
  );
}

function stateOf(key: Key): readonly ["bad" | "calm" | "good", string] {
  const t = texts.value.keys;
  if (key.deletedAt !== null) return ["bad", t.revoked];
  return Date.parse(key.expiresAt) < now.value ? ["calm", t.expired] : ["good", t.active];
}

function KeyTable(props: { keys: readonly Key[]; leave: (key: Key) => void }) {
  const t = texts.value.keys;
  return (
    <Table
      label={t.title}
      rows={props.keys}
      id={(key) => key.id}
      columns={[
        { head: t.name, kind: "main", cell: (key) => <KeyName of={key} /> },
        { head: t.origin, cell: (key) => t.origins[key.integratorOrigin] ?? key.integratorOrigin },
        { head: t.state, kind: "plain", cell: (key) => <span class={`badge ${stateOf(key)[0]}`}>{stateOf(key)[1]}</span> },
        { head: texts.value.common.created, cell: (key) => <When at={key.createdAt} full /> },
        { head: t.expires, cell: (key) => <When at={key.expiresAt} full /> },
        acts<Key>((key) => key.deletedAt === null && (
          <button type="button" class="button small" aria-label={`${t.revoke}: ${key.name ?? key.id}`} onClick={() => props.leave(key)}>
            {t.revoke}
          </button>
        )),
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
      {of.id === session.value?.keyId && <span class="sub">{texts.value.keys.own}</span>}
    </>
  );
}

function NewKeyDialog(props: { storeId: number; close: () => void; done: (value: string) => void }) {
  const t = texts.value.keys;
  const [name, setName] = useState("");
  const [days, setDays] = useState("");
  const [of, setOf] = useState(String(props.storeId));
  const [password, setPassword] = useState("");
  const [sure] = useState(intention);
  const issue = () =>
    keys.issue(
      {
        ...(Number(of) === store.value?.id ? {} : { storeId: Number(of) }),
        ...(name.trim() === "" ? {} : { name: name.trim() }),
        ...(days.trim() === "" ? {} : { expiresInDays: decimal(days) }),
        currentPassword: password,
      },
      sure,
    );
  return (
    <Confirm title={t.add} yes={t.submit} act={issue} done={(issued) => props.done(issued.value)} close={props.close}>
      <TextField at="/name" label={t.name} value={name} set={setName} optional max={255} />
      {family.value.length > 1 && (
        <ChoiceField at="/storeId" label={texts.value.common.store} value={of} set={setOf} options={family.value.map((one) => [String(one.id), storeName(one.id)])} />
      )}
      <TextField at="/expiresInDays" label={t.days} hint={t.daysHint} value={days} set={setDays} mode="numeric" optional />
      <TextField at="/currentPassword" label={t.password} hint={t.passwordHint} value={password} set={setPassword} type="password" complete="current-password" />
    </Confirm>
  );
}
