import { useState } from "preact/hooks";
import { keys } from "../api/client";
import { intention } from "../api/http";
import type { Key } from "../api/wire";
import { now } from "../clock";
import { texts } from "../i18n";
import { family, logOut, session, store, storeName } from "../session";
import { Dialog } from "../ui/dialog";
import { CheckField, ChoiceField, Faults, Refusal, TextField, faultsOf } from "../ui/field";
import { useLoad } from "../ui/load";
import { Empty, Failure, Loading, Page, Secret, When } from "../ui/parts";

export function KeysPage() {
  const t = texts.value.keys;
  const [of, setOf] = useState(store.value?.id ?? 0);
  const [adding, setAdding] = useState(false);
  const [leaving, setLeaving] = useState<Key | null>(null);
  const [fresh, setFresh] = useState<string | null>(null);
  const [calm, setCalm] = useState(true);
  const list = useLoad(() => keys.list(of === store.value?.id ? undefined : of), [of]);
  const shown = list.value?.keys.filter((key) => !calm || key.integratorOrigin !== "PANEL" || key.id === session.value?.keyId);
  return (
    <Page title={t.title} lead={t.lead} aside={<button type="button" class="button primary" onClick={() => setAdding(true)}>{t.add}</button>}>
      {fresh !== null && <Secret lead={t.issued} value={fresh} note={texts.value.stores.once} />}
      <div class="filters">
        {family.value.length > 1 && (
          <label class="inline">
            <span>{texts.value.common.store}</span>
            <select value={String(of)} onChange={(event) => setOf(Number(event.currentTarget.value))}>
              {family.value.map((one) => <option key={one.id} value={String(one.id)}>{one.name}</option>)}
            </select>
          </label>
        )}
        <CheckField at="/calm" label={t.hideSessions} value={calm} set={setCalm} />
      </div>
      {shown === undefined ? (list.error !== null ? <Failure error={list.error} retry={list.again} /> : <Loading />) : shown.length === 0 ? <Empty text={t.empty} /> : <KeyTable keys={shown} leave={setLeaving} />}
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
        <RevokeDialog
          of={leaving}
          close={() => setLeaving(null)}
          done={() => {
            if (leaving.id === session.value?.keyId) logOut();
            setLeaving(null);
            list.again();
          }}
        />
      )}
    </Page>
  );
}

function KeyTable(props: { keys: readonly Key[]; leave: (key: Key) => void }) {
  const t = texts.value.keys;
  const stateOf = (key: Key) =>
    key.deletedAt !== null ? (["bad", t.revoked] as const) : Date.parse(key.expiresAt) < now.value ? (["calm", t.expired] as const) : (["good", t.active] as const);
  return (
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t.name}</th>
            <th scope="col">{t.origin}</th>
            <th scope="col">{t.state}</th>
            <th scope="col">{texts.value.common.created}</th>
            <th scope="col">{t.expires}</th>
            <th scope="col"><span class="unseen">{texts.value.common.actions}</span></th>
          </tr>
        </thead>
        <tbody>
          {props.keys.map((key) => {
            const [tone, word] = stateOf(key);
            return (
              <tr key={key.id}>
                <td class="main-cell">
                  <span class="strong">{key.name ?? `#${key.id}`}</span>
                  {key.name !== null && <span class="dim number"> #{key.id}</span>}
                  {key.id === session.value?.keyId && <span class="sub">{t.own}</span>}
                </td>
                <td data-label={t.origin}>{t.origins[key.integratorOrigin] ?? key.integratorOrigin}</td>
                <td><span class={`badge ${tone}`}>{word}</span></td>
                <td data-label={texts.value.common.created}><When at={key.createdAt} full /></td>
                <td data-label={t.expires}><When at={key.expiresAt} full /></td>
                <td class="right">
                  {key.deletedAt === null && (
                    <button type="button" class="button small" aria-label={`${t.revoke}: ${key.name ?? key.id}`} onClick={() => props.leave(key)}>{t.revoke}</button>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

function NewKeyDialog(props: { storeId: number; close: () => void; done: (value: string) => void }) {
  const t = texts.value.keys;
  const [name, setName] = useState("");
  const [days, setDays] = useState("");
  const [of, setOf] = useState(String(props.storeId));
  const [sure] = useState(intention);
  const [error, setError] = useState<unknown>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setError(null);
    const body = {
      ...(Number(of) === store.value?.id ? {} : { storeId: Number(of) }),
      ...(name.trim() === "" ? {} : { name: name.trim() }),
      ...(days.trim() === "" ? {} : { expiresInDays: Number(days) }),
    };
    keys.issue(body, sure).then((issued) => props.done(issued.value), setError);
  };
  return (
    <Dialog title={t.add} close={props.close}>
      <form onSubmit={submit} noValidate>
        <Faults.Provider value={faultsOf(error)}>
          <Refusal error={error} />
          <TextField at="/name" label={t.name} value={name} set={setName} optional most={255} />
          {family.value.length > 1 && (
            <ChoiceField at="/storeId" label={texts.value.common.store} value={of} set={setOf} options={family.value.map((one) => [String(one.id), storeName(one.id)])} />
          )}
          <TextField at="/expiresInDays" label={t.days} hint={t.daysHint} value={days} set={setDays} mode="numeric" optional />
        </Faults.Provider>
        <div class="row end">
          <button type="button" class="button" onClick={props.close}>{texts.value.common.close}</button>
          <button type="submit" class="button primary">{t.submit}</button>
        </div>
      </form>
    </Dialog>
  );
}

function RevokeDialog(props: { of: Key; close: () => void; done: () => void }) {
  const t = texts.value.keys;
  const [error, setError] = useState<unknown>(null);
  const own = props.of.id === session.value?.keyId;
  return (
    <Dialog title={t.revokeTitle} close={props.close}>
      <p>{own ? t.revokeOwn : t.revokeText}</p>
      <Refusal error={error} />
      <div class="row end">
        <button type="button" class="button" onClick={props.close}>{texts.value.common.close}</button>
        <button type="button" class="button danger" onClick={() => keys.revoke(props.of.id).then(props.done, setError)}>{t.revoke}</button>
      </div>
    </Dialog>
  );
}
