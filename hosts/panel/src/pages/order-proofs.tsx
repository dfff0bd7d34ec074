/** What recipients see and choose, and the proofs of an order's steps. */

import { useEffect, useState } from "preact/hooks";
import { proofs } from "../api/client";
import type { Delivery, OrderDetails, Proof } from "../api/wire";
import { timeWithSeconds, zoneOf } from "../format";
import { trackingMessage } from "../whatsapp";
import { Copy } from "../ui/parts";
import { notifyError } from "../ui/toast";
import { WhatsApp } from "../ui/whatsapp";
import { orderTexts } from "../i18n/order";
import { peopleTexts } from "../i18n/people";

/** The link of a delivery, the recipient's choice and rating. */
export function Tracking(props: { stop: Delivery; order: OrderDetails }) {
  const t = peopleTexts.value;
  const { stop } = props;
  const { trackingUrl } = stop;
  const name = stop.name ?? orderTexts.value.stop(stop.orderRoute);
  const message = trackingUrl ? trackingMessage({ ...stop, trackingUrl }, props.order) : null;
  const choice = stop.recipientChoice;
  const rating = stop.rating;
  return (
    <>
      {choice && (
        <p class="notice">
          {t.choice}: <strong>{t.choices[choice] ?? choice}</strong>
        </p>
      )}
      {rating && (
        <div>
          <p>{t.rating(rating.stars)}</p>
          {rating.text !== null && <p class="quote">{rating.text}</p>}
        </div>
      )}
      {trackingUrl && (
        <p class="row tracking">
          <a href={trackingUrl} target="_blank" rel="noreferrer">
            {t.trackingLink}
          </a>
          <Copy text={trackingUrl} label={t.copyLink(name)} />
          {message !== null && (
            <WhatsApp phone={stop.phone} text={message} label={t.sendLink(name)}>
              {t.send}
            </WhatsApp>
          )}
        </p>
      )}
    </>
  );
}

interface ProofProps {
  order: OrderDetails;
  /** Reads a photo as the operator, who has no signed page. By default the store reads it. */
  photo?: (id: number) => Promise<Blob>;
}

/** The proofs, and the signed page, which is downloaded because it opens without the panel. */
export function Proofs(props: ProofProps) {
  const t = peopleTexts.value;
  const { order } = props;
  const list = order.proofs;
  const zone = zoneOf(order.pickupAddress);
  const names = new Map(
    order.deliveries.map((stop) => [stop.id, stop.name ?? orderTexts.value.stop(stop.orderRoute)]),
  );
  const save = () => {
    proofs.page(order.id).then((page) => saveFile(page, `despacho-${order.id}.html`), notifyError);
  };
  return (
    <section class="card" data-testid="proofs">
      <h2>{t.proofs}</h2>
      {list.length > 0 && (
        <ol class="proofs">
          {list.map((proof) => (
            <li key={proof.sequence}>
              <p>
                <strong>{t.steps[proof.step] ?? proof.step}</strong>
                {proof.deliveryId !== null && (
                  <span class="dim"> · {names.get(proof.deliveryId)}</span>
                )}
                <span class="dim number"> · {timeWithSeconds(proof.createdAt, zone)}</span>
              </p>
              <ProofParts proof={proof} photo={props.photo ?? proofs.photo} />
            </li>
          ))}
        </ol>
      )}
      {props.photo === undefined && (
        <button type="button" class="button" onClick={save}>
          {t.page}
        </button>
      )}
    </section>
  );
}

function ProofParts(props: { proof: Proof; photo: (id: number) => Promise<Blob> }) {
  const t = peopleTexts.value;
  const { proof } = props;
  if (proof.erased) return <p class="dim">{t.erased}</p>;
  return (
    <>
      {proof.receivedBy !== null && <p>{t.receivedBy(proof.receivedBy)}</p>}
      {proof.note !== null && <p class="quote">{proof.note}</p>}
      {proof.latitude !== null && proof.longitude !== null && (
        <p class="dim number">
          {t.position} {proof.latitude.toFixed(5)}, {proof.longitude.toFixed(5)}
        </p>
      )}
      {proof.photos.length > 0 && (
        <div class="photos">
          {proof.photos.map((photo, at) => (
            <Photo
              key={photo.photoId}
              id={photo.photoId}
              name={t.photo(at + 1)}
              read={props.photo}
            />
          ))}
        </div>
      )}
    </>
  );
}

/** A photo, which needs the session's key and so cannot be the source of an image. */
function Photo(props: { id: number; name: string; read: (id: number) => Promise<Blob> }) {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    let made: string | null = null;
    let isRemoved = false;
    props.read(props.id).then(
      (blob) => {
        if (isRemoved) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      () => {
        // The name of the photo remains visible.
      },
    );
    return () => {
      isRemoved = true;
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [props.id]);
  if (url === null) return <span class="photo">{props.name}</span>;
  return (
    <a href={url} target="_blank" rel="noreferrer">
      <img class="photo" src={url} alt={props.name} />
    </a>
  );
}

/** Lets the user save a file. */
export function saveFile(content: Blob, name: string): void {
  const url = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser reads the file after this event.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
