/** The setup of an app that reports the position in the background. */

import { useState } from "preact/hooks";
import { api } from "../api";
import { me } from "../state";
import { setSelf } from "../sync";
import { date, texts } from "../texts";
import type { DeviceKey } from "../wire";
import { Button, Copy, announce } from "./parts";
import { failureText } from "./sign-in";
import { QrCode } from "./qr";

export function DeviceScreen() {
  const t = texts.value.device;
  const [key, setKey] = useState<DeviceKey | null>(null);
  const [error, setError] = useState("");
  const [isBusy, setBusy] = useState(false);
  const createdAt = me.value?.deviceKeyCreatedAt ?? null;
  const run = async (action: () => Promise<void>) => {
    setBusy(true);
    setError("");
    try {
      await action();
      await setSelf(await api.me());
    } catch (failure) {
      setError(failureText(failure));
    } finally {
      setBusy(false);
    }
  };
  const create = () => run(async () => setKey(await api.createDevice()));
  const remove = () =>
    run(async () => {
      await api.removeDevice();
      setKey(null);
      announce(t.removed);
    });
  return (
    <main class="screen" id="main">
      <h1 id="title" tabIndex={-1}>
        {t.title}
      </h1>
      <p>{t.lead}</p>
      {createdAt !== null && key === null && <p>{t.existing(date(createdAt))}</p>}
      {error !== "" && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
      {key !== null && <Setup device={key} />}
      <div class="stack">
        <Button
          kind={key === null ? "primary" : "plain"}
          busy={isBusy}
          onClick={() => void create()}
          testId="create-device"
        >
          {createdAt === null ? t.create : t.replace}
        </Button>
        {createdAt !== null && (
          <Button kind="danger" busy={isBusy} onClick={() => void remove()}>
            {t.remove}
          </Button>
        )}
      </div>
    </main>
  );
}

function Setup(props: { device: DeviceKey }) {
  const t = texts.value.device;
  const { setup, value } = props.device;
  return (
    <section class="card stack" role="status">
      <p class="strong">{t.once}</p>
      {setup === null ? (
        <>
          <p>{t.manual}</p>
          <Line name={t.server} value={`${location.origin}/courier/positions/osmand`} />
          <Line name={t.identifier} value={value} />
        </>
      ) : (
        <>
          <AppSetup name={t.traccar} hint={t.traccarHint} link={setup.traccar} />
          <AppSetup name={t.ownTracks} hint={t.ownTracksHint} link={setup.ownTracks} />
        </>
      )}
    </section>
  );
}

function Line(props: { name: string; value: string }) {
  return (
    <p class="line">
      <span>{props.name}</span> <code>{props.value}</code>{" "}
      <Copy text={props.value} label={props.name} />
    </p>
  );
}

function AppSetup(props: { name: string; hint: string; link: string }) {
  const t = texts.value.device;
  return (
    <div class="stack">
      <h2>{props.name}</h2>
      <p>{props.hint}</p>
      <QrCode text={props.link} label={t.qr(props.name)} class="qr" />
      <div class="links">
        <a class="button plain" href={props.link}>
          {t.openLink}
        </a>
        <Copy text={props.link} label={props.name} />
      </div>
    </div>
  );
}
