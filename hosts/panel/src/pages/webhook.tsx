import { useEffect, useState } from "preact/hooks";
import { webhooks } from "../api/client";
import type { Attempt, Webhook } from "../api/wire";
import { texts } from "../i18n";
import { go } from "../router";
import { Confirm } from "../ui/confirm";
import { useLoad } from "../ui/load";
import { Empty, Loaded, Page, Secret, When } from "../ui/parts";
import { Table, actionsColumn } from "../ui/table";
import { notifyError, notify } from "../ui/toast";
import { HookEvents, HookStatus } from "./webhooks";
import { webhookTexts } from "../i18n/webhooks";

/** The interval between updates of the log. */
const POLL_MS = 3_000;

export function WebhookPage(props: { id: number }) {
  const t = webhookTexts.value;
  const hook = useLoad(
    async () => (await webhooks.list()).webhooks.find((one) => one.id === props.id) ?? null,
    [props.id],
  );
  const log = useLoad(() => webhooks.attempts(props.id), [props.id]);
  const [secret, setSecret] = useState<string | null>(null);
  const reload = () => {
    hook.reload();
    log.reload();
  };
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) reload();
    }, POLL_MS);
    return () => clearInterval(timer);
  }, []);
  const act = (what: Promise<unknown>, done: string) => {
    what.then(() => {
      notify(done);
      reload();
    }, notifyError);
  };
  const found = hook.value;
  return (
    <Page
      title={t.log}
      {...(found === null ? {} : { lead: found.url })}
      aside={found !== null && <HookActions of={found} act={act} created={setSecret} />}
    >
      {secret !== null && <Secret lead={t.rotated} value={secret} note={t.once} />}
      {found !== null && (
        <p class="bits">
          <HookStatus of={found} />
          <span>
            <HookEvents of={found} />
          </span>
          {found.failures > 0 && <span class="warn-text">{t.failures(found.failures)}</span>}
          {found.previousSecretUntil !== null && (
            <span class="dim">
              {t.oldSecret} <When at={found.previousSecretUntil} />
            </span>
          )}
        </p>
      )}
      {found?.status === "disabled" && <p class="notice">{t.disabledHint}</p>}
      {found?.status === "ended" && <p class="notice">{t.endedHint}</p>}
      <Loaded of={log}>
        {({ attempts }) =>
          attempts.length === 0 ? (
            <Empty text={t.noAttempts} hint={t.noAttemptsHint} />
          ) : (
            <AttemptTable
              attempts={attempts}
              replay={(one) => act(webhooks.retry(one.id), t.replayed)}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

interface ActionsProps {
  of: Webhook;
  act: (what: Promise<unknown>, done: string) => void;
  /** Called with the new secret, which is shown only once. */
  created: (secret: string) => void;
}

function HookActions(props: ActionsProps) {
  const t = webhookTexts.value;
  const [dialog, setDialog] = useState<"rotate" | "remove" | null>(null);
  const { id, status } = props.of;
  const close = () => setDialog(null);
  return (
    <div class="actions">
      {status === "disabled" && (
        <button
          type="button"
          class="button primary"
          onClick={() => props.act(webhooks.enable(id), t.enabled)}
        >
          {t.enable}
        </button>
      )}
      {status !== "ended" && (
        <>
          <button
            type="button"
            class="button"
            onClick={() => props.act(webhooks.test(id), t.tested)}
          >
            {t.test}
          </button>
          <button type="button" class="button" onClick={() => setDialog("rotate")}>
            {t.rotate}
          </button>
        </>
      )}
      <button type="button" class="button danger" onClick={() => setDialog("remove")}>
        {texts.value.common.remove}
      </button>
      {dialog === "rotate" && (
        <Confirm
          title={t.rotateTitle}
          text={t.rotateText}
          submitLabel={t.rotate}
          act={() => webhooks.rotate(id)}
          done={(made) => {
            close();
            props.created(made.secret);
          }}
          close={close}
        />
      )}
      {dialog === "remove" && (
        <Confirm
          danger
          title={t.removeTitle}
          text={t.removeText}
          submitLabel={texts.value.common.remove}
          act={() => webhooks.remove(id)}
          done={() => {
            notify(t.removed);
            go("/webhooks");
          }}
          close={close}
        />
      )}
    </div>
  );
}

function Outcome(props: { of: Attempt }) {
  const { delivered, status, fault } = props.of;
  const text =
    status !== null ? `HTTP ${status}` : (webhookTexts.value.faults[fault ?? ""] ?? fault ?? "—");
  return <span class={`badge ${delivered ? "good" : "bad"}`}>{text}</span>;
}

function AttemptTable(props: { attempts: readonly Attempt[]; replay: (attempt: Attempt) => void }) {
  const t = webhookTexts.value;
  return (
    <Table
      label={t.log}
      rows={props.attempts}
      id={(one) => one.id}
      columns={[
        {
          head: t.event,
          kind: "main",
          cell: (one) => (
            <>
              <code>{one.type}</code>
              {one.orderId !== null && (
                <>
                  {" "}
                  <a class="number" href={`#/orders/${one.orderId}`}>
                    #{one.orderId}
                  </a>
                </>
              )}
              <span class="sub break">{one.messageId}</span>
            </>
          ),
        },
        { head: t.result, kind: "plain", cell: (one) => <Outcome of={one} /> },
        { head: t.when, cell: (one) => <When at={one.at} seconds /> },
        { head: t.attempt, right: true, class: "number", cell: (one) => one.attempt },
        { head: t.took, right: true, class: "number", cell: (one) => `${one.milliseconds} ms` },
        {
          head: t.next,
          cell: (one) =>
            one.nextAt !== null ? (
              <When at={one.nextAt} seconds />
            ) : one.delivered ? (
              "—"
            ) : (
              t.givenUp
            ),
        },
        actionsColumn<Attempt>((one) => (
          <button
            type="button"
            class="button small"
            aria-label={`${t.replay}: ${one.type} ${one.id}`}
            onClick={() => props.replay(one)}
          >
            {t.replay}
          </button>
        )),
      ]}
    />
  );
}
