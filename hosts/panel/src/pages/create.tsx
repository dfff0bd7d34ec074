import { useEffect, useRef, useState } from "preact/hooks";
import { orders } from "../api/client";
import { ApiError, Unreachable, intention, whenOnline } from "../api/http";
import type { Order, Preview } from "../api/wire";
import { kept } from "../draft";
import { kilometres, money } from "../format";
import { texts } from "../i18n";
import { put } from "../live";
import { inPage, postcode, preview, warmUp, type Quoted } from "../preview";
import { go } from "../router";
import { family, store, zone } from "../session";
import { AddressFields, decimal, isLocatable, noAddress, sentAddress, type AddressDraft } from "../ui/address";
import { CheckField, ChoiceField, FieldErrors, ErrorBox, TextField, fieldErrorsOf } from "../ui/field";
import { Page, When } from "../ui/parts";
import { notify } from "../ui/toast";
import { Price } from "./order";

/** Where there is room the price is shown line by line; else on demand. */
const wide = matchMedia("(min-width: 64rem)");

interface DeliveryDraft {
  name: string;
  phone: string;
  value: string;
  observation: string;
  paid: boolean;
  confirm: boolean;
  address: AddressDraft;
}

interface Draft {
  code: string;
  preparation: string;
  best: boolean;
  store: string;
  deliveries: DeliveryDraft[];
}

const noDelivery = (): DeliveryDraft => ({ name: "", phone: "", value: "", observation: "", paid: true, confirm: true, address: noAddress() });
const empty = (): Draft => ({ code: "", preparation: "0", best: false, store: "", deliveries: [noDelivery()] });

const draft = kept<Draft>("order", empty);
/** A quote that ends sooner than this is not sent any more. */
const QUOTE_MARGIN_MS = 20_000;
/** Input must pause this long before a price is requested from the server; the page's own prices follow at once. */
const REST_MS = 200;
const REST_IN_PAGE_MS = 20;

function change(part: Partial<Draft>): void {
  draft.value = { ...draft.value, ...part };
}

function changeDelivery(at: number, part: Partial<DeliveryDraft>): void {
  change({ deliveries: draft.value.deliveries.map((one, index) => (index === at ? { ...one, ...part } : one)) });
}

/** The request for a price: the stops that can be located. */
function inquiry(from: Draft): { body: Record<string, unknown>; stops: number[] } {
  const stops = from.deliveries.map((_, at) => at).filter((at) => isLocatable(from.deliveries[at]!.address));
  const deliveries = stops.map((at) => ({
    address: sentAddress(from.deliveries[at]!.address),
    onlinePayment: from.deliveries[at]!.paid,
  }));
  return { body: { ...common(from), deliveries }, stops };
}

function common(from: Draft): Record<string, unknown> {
  const preparation = decimal(from.preparation) ?? 0;
  const own = from.store === "" || Number(from.store) === store.value?.id;
  return {
    preparationTime: preparation,
    previewDeliveryTime: true,
    sortByBestRoute: from.best,
    ...(own ? {} : { store: { userPlatformId: Number(from.store) } }),
  };
}

function wholeOrder(from: Draft): Record<string, unknown> {
  return {
    code: from.code.trim(),
    ...common(from),
    deliveries: from.deliveries.map((one) => ({
      name: one.name.trim(),
      phone: one.phone.trim(),
      ...(one.observation.trim() === "" ? {} : { observation: one.observation.trim() }),
      ...(one.value.trim() === "" ? {} : { productValue: decimal(one.value) }),
      onlinePayment: one.paid,
      confirmation: { platform: one.confirm },
      address: sentAddress(one.address),
    })),
  };
}

export function CreatePage() {
  const t = texts.value.create;
  const [error, setError] = useState<unknown>(null);
  const [phase, setPhase] = useState<"typing" | "sending" | "waiting">("typing");
  const price = usePrice();
  const stop = useRef<AbortController | null>(null);
  useEffect(() => {
    warmUp();
    return () => stop.current?.abort();
  }, []);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (phase !== "typing") return;
    setError(null);
    stop.current = new AbortController();
    try {
      const created = await send(draft.value, price.quoted, stop.current.signal, setPhase);
      draft.value = empty();
      put(created as Order);
      notify(t.created(created.code));
      go(`/orders/${created.id}`);
    } catch (fault) {
      if (fault instanceof NewPrice) {
        price.take(fault.quoted);
        notify(t.newPrice, "bad");
      } else if (!stop.current.signal.aborted) setError(fault);
    } finally {
      setPhase("typing");
    }
  };
  const shown = error ?? null;
  const faults = fieldErrorsOf(shown).length > 0 ? fieldErrorsOf(shown) : price.faults;
  return (
    <Page title={t.title}>
      <form class="create" onSubmit={submit} noValidate>
        <FieldErrors.Provider value={faults}>
          <div class="create-form">
            <ErrorBox error={shown} />
            <Conflict error={shown} />
            <Head />
            {draft.value.deliveries.map((one, at) => (
              <DeliveryFields key={at} at={at} value={one} />
            ))}
            <button type="button" class="button" onClick={() => change({ deliveries: [...draft.value.deliveries, noDelivery()] })}>
              {t.add}
            </button>
          </div>
          <aside class="create-price" aria-label={t.price}>
            <PricePanel quoted={price.quoted} busy={price.busy} />
            {phase === "waiting" && (
              <p class="notice" role="status">
                {t.waiting}
              </p>
            )}
            <div class="row">
              <button type="submit" class="button primary big" aria-disabled={phase !== "typing"}>
                {phase === "typing" ? t.submit : t.sending}
              </button>
              {phase === "waiting" ? (
                <button type="button" class="button" onClick={() => stop.current?.abort()}>
                  {t.stop}
                </button>
              ) : (
                <button type="button" class="button" onClick={() => { draft.value = empty(); setError(null); }}>
                  {t.clear}
                </button>
              )}
            </div>
          </aside>
        </FieldErrors.Provider>
      </form>
    </Page>
  );
}

/** The fee is another one than the page showed: the merchant decides again. */
class NewPrice extends Error {
  constructor(readonly quoted: Quoted) {
    super();
  }
}

/** Repeats a call until the network works; an error response is thrown. */
async function retrying<T>(what: () => Promise<T>, signal: AbortSignal, phase: (now: "sending" | "waiting") => void): Promise<T> {
  for (;;) {
    phase("sending");
    try {
      return await what();
    } catch (fault) {
      if (!(fault instanceof Unreachable)) throw fault;
      phase("waiting");
      await whenOnline(signal);
    }
  }
}

/** Sends the order at the price that was shown. One key for all tries makes sure that it is created once. */
async function send(from: Draft, shown: Quoted | null, signal: AbortSignal, phase: (now: "sending" | "waiting") => void): Promise<Order> {
  const order = wholeOrder(from);
  const held = shown?.preview.quote ?? null;
  let quoteId = held !== null && Date.parse(held.expiresAt) > Date.now() + QUOTE_MARGIN_MS ? held.id : undefined;
  if (quoteId === undefined && shown !== null && from.deliveries.every((one) => isLocatable(one.address))) {
    const fresh = await retrying(() => orders.preview(inquiry(from).body, signal), signal, phase).catch((fault: unknown) => {
      // What makes a preview fail makes the order fail too, and the order reports all other fields.
      if (fault instanceof ApiError) return null;
      throw fault;
    });
    if (fresh !== null && fresh.deliveryFee !== shown.preview.deliveryFee) throw new NewPrice({ preview: fresh, by: "server" });
    quoteId = fresh?.quote?.id;
  }
  const body = quoteId === undefined ? order : { ...order, quoteId };
  const key = intention();
  return retrying(() => orders.create(body, key), signal, phase);
}

function Conflict(props: { error: unknown }) {
  const t = texts.value.create;
  const problem = props.error instanceof ApiError ? props.error.problem : null;
  if (problem?.orderId === undefined) return null;
  return (
    <p class="notice">
      {t.conflict} <a href={`#/orders/${problem.orderId}`}>{t.conflictOpen}</a>
    </p>
  );
}

function Head() {
  const t = texts.value.create;
  const value = draft.value;
  const stores = family.value;
  return (
    <section class="card">
      <div class="grid">
        <TextField at="/code" label={t.code} hint={t.codeHint} value={value.code} set={(code) => change({ code })} max={64} />
        <TextField at="/preparationTime" label={t.preparation} hint={t.preparationHint} value={value.preparation} set={(preparation) => change({ preparation })} mode="numeric" />
        {stores.length > 1 && (
          <ChoiceField
            at="/store/userPlatformId"
            label={t.from}
            value={value.store === "" ? String(store.value?.id ?? "") : value.store}
            set={(chosen) => change({ store: chosen })}
            options={stores.map((one) => [String(one.id), one.name])}
          />
        )}
        {value.deliveries.length > 1 && (
          <CheckField at="/sortByBestRoute" label={t.best} value={value.best} set={(best) => change({ best })} />
        )}
      </div>
    </section>
  );
}

function DeliveryFields(props: { at: number; value: DeliveryDraft }) {
  const t = texts.value.create;
  const { at, value } = props;
  const base = `/deliveries/${at}`;
  const set = (part: Partial<DeliveryDraft>) => changeDelivery(at, part);
  const zipGiven = (zip: string) => {
    void postcode(zip).then((found) => {
      const now = draft.value.deliveries[at];
      if (found === null || now === undefined || now.address.zipCode.replace(/\D/g, "") !== zip) return;
      changeDelivery(at, { address: { ...now.address, city: found.city, state: found.state } });
    });
  };
  return (
    <fieldset class="card">
      <legend>{t.delivery(at + 1)}</legend>
      {draft.value.deliveries.length > 1 && (
        <button
          type="button"
          class="button small corner"
          aria-label={t.removeDelivery(at + 1)}
          onClick={() => change({ deliveries: draft.value.deliveries.filter((_, index) => index !== at) })}
        >
          {texts.value.common.remove}
        </button>
      )}
      <AddressFields at={`${base}/address`} value={value.address} set={(address) => changeDelivery(at, { address })} zipGiven={zipGiven} />
      <div class="grid">
        <TextField at={`${base}/name`} label={t.name} value={value.name} set={(name) => set({ name })} max={255} optional />
        <TextField at={`${base}/phone`} label={t.phone} hint={t.phoneHint} value={value.phone} set={(phone) => set({ phone })} type="tel" mode="tel" optional />
        <TextField at={`${base}/productValue`} label={t.value} value={value.value} set={(goods) => set({ value: goods })} mode="decimal" optional />
        <TextField at={`${base}/observation`} label={t.observation} value={value.observation} set={(observation) => set({ observation })} optional max={1000} wide />
      </div>
      <div class="checks">
        <CheckField at={`${base}/onlinePayment`} label={t.online} hint={t.onlineHint} value={value.paid} set={(paid) => set({ paid })} />
        <CheckField at={`${base}/confirmation/platform`} label={t.confirm} value={value.confirm} set={(confirm) => set({ confirm })} />
      </div>
    </fieldset>
  );
}

function PricePanel(props: { quoted: Quoted | null; busy: boolean }) {
  const t = texts.value.create;
  const found: Preview | null = props.quoted?.preview ?? null;
  return (
    <section class="card" aria-busy={props.busy}>
      <h2>{t.price}</h2>
      <p class={`amount${props.busy ? " old" : ""}`} aria-live="polite" data-testid="price">
        {found === null ? "—" : money(found.deliveryFee)}
      </p>
      {found === null ? (
        <p class="hint">{props.busy ? t.priceTyping : t.priceWaiting}</p>
      ) : (
        <details open={wide.matches}>
          <summary>{t.breakdown}</summary>
          <Price lines={found.priceBreakdown} total={found.deliveryFee} />
          <dl class="facts">
            <div class="fact"><dt>{t.distance}</dt><dd>{kilometres(found.totalDistance)}</dd></div>
            <div class="fact"><dt>{t.pickup}</dt><dd><When at={found.expectedPickup} zone={zone.value} /></dd></div>
            <div class="fact"><dt>{t.arrival}</dt><dd><When at={found.expectedDelivery} zone={zone.value} /></dd></div>
          </dl>
          {found.estimated && <p class="hint">{texts.value.order.estimated}</p>}
          <p class="hint" data-by={props.quoted?.by}>{props.quoted?.by === "page" ? t.inPage : t.onServer}</p>
        </details>
      )}
    </section>
  );
}

interface Priced {
  quoted: Quoted | null;
  busy: boolean;
  faults: ReturnType<typeof fieldErrorsOf>;
  /** Shows another price than the one that was computed. */
  take: (quoted: Quoted) => void;
}

/** The price of what is typed, soon after it was typed. */
function usePrice(): Priced {
  const [state, setState] = useState<Omit<Priced, "take">>({ quoted: null, busy: false, faults: [] });
  const { body, stops } = inquiry(draft.value);
  const text = JSON.stringify(body);
  const isOpening = useRef(true);
  useEffect(() => {
    // What is found again when the form opens is not being typed.
    const rest = isOpening.current ? 0 : inPage.value ? REST_IN_PAGE_MS : REST_MS;
    isOpening.current = false;
    if (stops.length === 0) {
      setState({ quoted: null, busy: false, faults: [] });
      return;
    }
    const stop = new AbortController();
    setState((before) => ({ ...before, busy: true }));
    const timer = setTimeout(() => {
      preview(body, stop.signal).then(
        (quoted) => {
          if (!stop.signal.aborted) setState({ quoted, busy: false, faults: [] });
        },
        (fault: unknown) => {
          if (!stop.signal.aborted) setState({ quoted: null, busy: false, faults: located(fault, stops) });
        },
      );
    }, rest);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text, inPage.value]);
  return { ...state, take: (quoted) => setState({ quoted, busy: false, faults: [] }) };
}

/** The preview's pointers count the stops that were sent; the form counts all. */
function located(fault: unknown, stops: readonly number[]): ReturnType<typeof fieldErrorsOf> {
  return fieldErrorsOf(fault).map((one) => ({
    ...one,
    pointer: one.pointer.replace(/^\/deliveries\/(\d+)/, (_, at: string) => `/deliveries/${stops[Number(at)] ?? at}`),
  }));
}
