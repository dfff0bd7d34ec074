import { useState } from "preact/hooks";
import { webhooks } from "../api/client";
import { newIdempotencyKey } from "../api/http";
import type { EventType, Webhook } from "../api/wire";
import { texts } from "../i18n";
import { Confirm } from "../ui/confirm";
import { CheckList, TextField } from "../ui/field";
import { useLoad } from "../ui/load";
import { Empty, Loaded, Page, Secret, When } from "../ui/parts";
import { Table } from "../ui/table";
import { webhookTexts } from "../i18n/webhooks";

/** Event types to choose from; a subscription to all events also receives newer types. */
const EVENTS: readonly EventType[] = [
  "order.created",
  "order.preparing",
  "order.delayed",
  "order.ready",
  "order.searching",
  "order.allocated",
  "order.eta_changed",
  "order.courier_arrived",
  "order.courier_released",
  "order.picked_up",
  "delivery.en_route",
  "delivery.resequenced",
  "delivery.arrived",
  "delivery.delivered",
  "delivery.discarded",
  "delivery.returning",
  "order.courier_at_return",
  "order.returned",
  "order.return_waived",
  "delivery.lost",
  "delivery.cancelled",
  "order.cancelled",
  "order.expired",
  "delivery.recipient_choice",
  "delivery.rated",
  "recipient.notify",
];

export function HookStatus(props: { of: Webhook }) {
  const { status } = props.of;
  return (
    <span class={`badge ${status === "active" ? "good" : "bad"}`}>
      {webhookTexts.value.states[status] ?? status}
    </span>
  );
}

export function HookEvents(props: { of: Webhook }) {
  const { events } = props.of;
  return <>{events.length === 0 ? webhookTexts.value.eventsAll : events.join(", ")}</>;
}

export function WebhooksPage() {
  const t = webhookTexts.value;
  const [adding, setAdding] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const list = useLoad(() => webhooks.list(), []);
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
      {secret !== null && <Secret lead={t.created} value={secret} note={t.once} />}
      <Loaded of={list}>
        {(found) =>
          found.webhooks.length === 0 ? (
            <Empty text={t.empty} hint={t.emptyHint} />
          ) : (
            <HookTable hooks={found.webhooks} />
          )
        }
      </Loaded>
      {adding && (
        <NewWebhookDialog
          close={() => setAdding(false)}
          done={(created) => {
            setAdding(false);
            setSecret(created);
            list.reload();
          }}
        />
      )}
    </Page>
  );
}

function HookTable(props: { hooks: readonly Webhook[] }) {
  const t = webhookTexts.value;
  return (
    <Table
      label={t.title}
      class="open-rows"
      rows={props.hooks}
      id={(one) => one.id}
      columns={[
        {
          head: t.url,
          kind: "main",
          cell: (one) => (
            <>
              <a class="strong break row-link" href={`#/webhooks/${one.id}`}>
                {one.url}
              </a>
              {one.failures > 0 && <span class="sub warn-text">{t.failures(one.failures)}</span>}
            </>
          ),
        },
        { head: t.state, kind: "plain", cell: (one) => <HookStatus of={one} /> },
        { head: t.events, cell: (one) => <HookEvents of={one} /> },
        { head: texts.value.common.created, cell: (one) => <When at={one.createdAt} full /> },
      ]}
    />
  );
}

function NewWebhookDialog(props: { close: () => void; done: (secret: string) => void }) {
  const t = webhookTexts.value;
  const [url, setUrl] = useState("");
  const [events, setEvents] = useState<EventType[]>([]);
  const [idempotencyKey] = useState(newIdempotencyKey);
  return (
    <Confirm
      title={t.add}
      submitLabel={t.submit}
      act={() => webhooks.create({ url: url.trim(), events }, idempotencyKey)}
      done={(made) => props.done(made.secret)}
      close={props.close}
    >
      <TextField
        pointer="/url"
        label={t.url}
        hint={t.urlHint}
        value={url}
        set={setUrl}
        type="url"
        max={2048}
      />
      <CheckList
        pointer="/events"
        legend={t.events}
        hint={t.eventsHint}
        all={EVENTS}
        name={(name) => <code>{name}</code>}
        chosen={events}
        set={setEvents}
      />
    </Confirm>
  );
}
