import { useEffect, useState } from "preact/hooks";
import { webhooks } from "../api/client";
import { intention } from "../api/http";
import type { Attempt, Webhook } from "../api/wire";
import { texts } from "../i18n";
import { go } from "../router";
import { Dialog } from "../ui/dialog";
import { Faults, Refusal, TextField, faultsOf } from "../ui/field";
import { useLoad } from "../ui/load";
import { Empty, Failure, Loading, Page, Secret, When } from "../ui/parts";
import { say } from "../ui/toast";

/** What a merchant can subscribe to; a server that knows more sends it when everything is asked for. */
const EVENTS = [
  "order.created", "order.delayed", "order.ready", "order.searching", "order.allocated", "order.courier_arrived",
  "order.courier_released", "order.picked_up", "delivery.en_route", "delivery.resequenced", "delivery.arrived", "delivery.delivered",
  "delivery.discarded", "delivery.returning", "order.courier_at_return", "order.returned", "order.return_waived", "delivery.lost",
  "delivery.cancelled", "order.cancelled", "order.expired",
];

const complain = (error: unknown) => say(error instanceof Error ? error.message : String(error), "bad");

function Status(props: { of: Webhook }) {
  const t = texts.value.webhooks;
  return <span class={`badge ${props.of.status === "active" ? "good" : "bad"}`}>{t.states[props.of.status] ?? props.of.status}</span>;
}

export function WebhooksPage() {
  const t = texts.value.webhooks;
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const list = useLoad(() => webhooks.list(), []);
  const all = list.value?.webhooks;
  return (
    <Page title={t.title} lead={t.lead} aside={<button type="button" class="button primary" onClick={() => setAdding(true)}>{t.add}</button>}>
      {secret !== null && <Secret lead={t.created} value={secret} note={texts.value.stores.once} />}
      {all === undefined ? (
        list.error !== null ? <Failure error={list.error} retry={list.again} /> : <Loading />
      ) : all.length === 0 ? (
        <Empty text={t.empty} hint={t.emptyHint} />
      ) : (
        <div class="table-box">
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{t.url}</th>
                <th scope="col">{t.state}</th>
                <th scope="col">{t.events}</th>
                <th scope="col">{texts.value.common.created}</th>
              </tr>
            </thead>
            <tbody>
              {all.map((one) => (
                <tr key={one.id}>
                  <td class="main-cell">
                    <a class="strong break" href={`#/webhooks/${one.id}`}>{one.url}</a>
                    {one.failures > 0 && <span class="sub warn-text">{t.failures(one.failures)}</span>}
                  </td>
                  <td><Status of={one} /></td>
                  <td data-label={t.events}>{one.events.length === 0 ? t.eventsAll : one.events.join(", ")}</td>
                  <td data-label={texts.value.common.created}><When at={one.createdAt} full /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {adding && (
        <NewWebhookDialog
          close={() => setAdding(false)}
          done={(told) => {
            setAdding(false);
            setSecret(told);
            list.again();
          }}
        />
      )}
    </Page>
  );
}

function NewWebhookDialog(props: { close: () => void; done: (secret: string) => void }) {
  const t = texts.value.webhooks;
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState<string[]>([]);
  const [sure] = useState(intention);
  const [error, setError] = useState<unknown>(null);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setError(null);
    webhooks.create({ url: url.trim(), events }, sure).then((made) => props.done(made.secret), setError);
  };
  const toggle = (name: string) => setEvents(events.includes(name) ? events.filter((one) => one !== name) : [...events, name]);
  return (
    <Dialog title={t.add} close={props.close}>
      <form onSubmit={submit} noValidate>
        <Faults.Provider value={faultsOf(error)}>
          <Refusal error={error} />
          <TextField at="/url" label={t.url} hint={t.urlHint} value={url} set={setUrl} type="url" most={2048} />
          <fieldset class="choices">
            <legend>{t.events}</legend>
            <p class="hint">{t.eventsHint}</p>
            {EVENTS.map((name) => (
              <label key={name}>
                <input type="checkbox" checked={events.includes(name)} onChange={() => toggle(name)} />
                <code>{name}</code>
              </label>
            ))}
          </fieldset>
        </Faults.Provider>
        <div class="row end">
          <button type="button" class="button" onClick={props.close}>{texts.value.common.close}</button>
          <button type="submit" class="button primary">{t.submit}</button>
        </div>
      </form>
    </Dialog>
  );
}

export function WebhookPage(props: { id: number }) {
  const t = texts.value.webhooks;
  const hook = useLoad(async () => (await webhooks.list()).webhooks.find((one) => one.id === props.id) ?? null, [props.id]);
  const log = useLoad(() => webhooks.attempts(props.id), [props.id]);
  const [secret, setSecret] = useState<string | null>(null);
  const [leaving, setLeaving] = useState(false);
  const again = () => {
    hook.again();
    log.again();
  };
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) log.again();
    }, 3_000);
    return () => clearInterval(timer);
  }, []);
  const act = (what: Promise<unknown>, done: string) => {
    what.then(() => {
      say(done);
      again();
    }, complain);
  };
  const found = hook.value;
  return (
    <Page
      title={t.log}
      {...(found === null ? {} : { lead: found.url })}
      aside={
        found !== null && (
          <div class="actions">
            {found.status !== "active" && <button type="button" class="button primary" onClick={() => act(webhooks.enable(props.id), t.enabled)}>{t.enable}</button>}
            <button type="button" class="button" onClick={() => act(webhooks.test(props.id), t.tested)}>{t.test}</button>
            <button type="button" class="button" onClick={() => webhooks.rotate(props.id).then((made) => setSecret(made.secret), complain)}>{t.rotate}</button>
            <button type="button" class="button danger" onClick={() => setLeaving(true)}>{texts.value.common.remove}</button>
          </div>
        )
      }
    >
      {secret !== null && <Secret lead={t.rotated} value={secret} note={texts.value.stores.once} />}
      {found !== null && (
        <p class="bits">
          <Status of={found} />
          <span>{found.events.length === 0 ? t.eventsAll : found.events.join(", ")}</span>
          {found.failures > 0 && <span class="warn-text">{t.failures(found.failures)}</span>}
        </p>
      )}
      {log.value === null ? (
        log.error !== null ? <Failure error={log.error} retry={log.again} /> : <Loading />
      ) : log.value.attempts.length === 0 ? (
        <Empty text={t.noAttempts} />
      ) : (
        <AttemptTable attempts={log.value.attempts} replay={(one) => act(webhooks.retry(one.id), t.replayed)} />
      )}
      {leaving && (
        <Dialog title={t.removeTitle} close={() => setLeaving(false)}>
          <p>{t.removeText}</p>
          <div class="row end">
            <button type="button" class="button" onClick={() => setLeaving(false)}>{texts.value.common.close}</button>
            <button type="button" class="button danger" onClick={() => webhooks.remove(props.id).then(() => go("/webhooks"), complain)}>{texts.value.common.remove}</button>
          </div>
        </Dialog>
      )}
    </Page>
  );
}

function AttemptTable(props: { attempts: readonly Attempt[]; replay: (attempt: Attempt) => void }) {
  const t = texts.value.webhooks;
  return (
    <div class="table-box">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">{t.event}</th>
            <th scope="col">{t.result}</th>
            <th scope="col">{t.when}</th>
            <th scope="col" class="right">{t.attempt}</th>
            <th scope="col" class="right">{t.took}</th>
            <th scope="col">{t.next}</th>
            <th scope="col"><span class="unseen">{texts.value.common.actions}</span></th>
          </tr>
        </thead>
        <tbody>
          {props.attempts.map((one) => (
            <tr key={one.id}>
              <td class="main-cell">
                <code>{one.type}</code>
                {one.orderId !== null && <> <a class="number" href={`#/orders/${one.orderId}`}>#{one.orderId}</a></>}
                <span class="sub break">{one.messageId}</span>
              </td>
              <td>
                <span class={`badge ${one.delivered ? "good" : "bad"}`}>
                  {one.status !== null ? `HTTP ${one.status}` : (t.faults[one.fault ?? ""] ?? one.fault ?? "—")}
                </span>
              </td>
              <td data-label={t.when}><When at={one.at} /></td>
              <td data-label={t.attempt} class="right number">{one.attempt}</td>
              <td data-label={t.took} class="right number">{one.milliseconds} ms</td>
              <td data-label={t.next}>{one.nextAt !== null ? <When at={one.nextAt} /> : one.delivered ? "—" : t.givenUp}</td>
              <td class="right">
                <button type="button" class="button small" aria-label={`${t.replay}: ${one.type} ${one.id}`} onClick={() => props.replay(one)}>{t.replay}</button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
