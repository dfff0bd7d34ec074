import { useEffect, useRef, useState } from "preact/hooks";
import { ApiError } from "../api/http";
import type { PaymentMethod } from "../api/wire";
import { phoneFormat } from "../format";
import { texts } from "../i18n";
import { updateRow } from "../live";
import { emptyLoad } from "../load";
import {
  addressOf,
  change,
  changeAddress,
  changeDelivery,
  clearDraft,
  codeOf,
  draft,
  emptyDelivery,
  fillInKnown,
  isUntouched,
  preparationOf,
  rememberOrder,
  type DeliveryDraft,
} from "../order-draft";
import { PriceChangedError, checkOrder, sendOrder } from "../order-send";
import { postcode, preload } from "../preview";
import { go, parameter, replace } from "../router";
import { accessibleStores, store } from "../session";
import { SUBMIT_KEYS, isSubmit } from "../shortcuts";
import { AddressFields } from "../ui/address";
import {
  CheckField,
  ChoiceField,
  FieldErrors,
  FieldGroup,
  ErrorBox,
  OptionalSection,
  TextField,
  fieldErrorsOf,
} from "../ui/field";
import { lazy } from "../ui/lazy";
import { Page } from "../ui/parts";
import { notify } from "../ui/toast";
import { PricePanel, usePrice } from "./create-price";
import { KnownCustomer } from "./known-customer";
import { createTexts } from "../i18n/create";
import { paymentMethodTexts } from "../i18n/payment-methods";

const LoadFields = lazy(() => import("../ui/load-fields").then((module) => module.LoadFields), 1);

export function CreatePage() {
  // A program that shows who is calling opens the form with the number.
  const caller = parameter("phone");
  useEffect(() => {
    if (caller === "") return;
    if (isUntouched()) changeDelivery(0, { phone: phoneFormat(caller) });
    replace("/orders/new");
  }, [caller]);
  const t = createTexts.value;
  const [error, setError] = useState<unknown>(null);
  const [phase, setPhase] = useState<"typing" | "sending" | "waiting">("typing");
  const price = usePrice();
  const stop = useRef<AbortController | null>(null);
  const isSending = useRef(false);
  useEffect(() => {
    preload();
    return () => stop.current?.abort();
  }, []);

  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    if (isSending.current) return;
    isSending.current = true;
    setError(null);
    stop.current = new AbortController();
    try {
      const sent = { ...draft.value, code: codeOf(draft.value) };
      await checkOrder(sent);
      const created = await sendOrder(sent, price.quoted, stop.current.signal, setPhase);
      rememberOrder(sent);
      clearDraft();
      updateRow(created);
      notify(t.created(created.code));
      go(`/orders/${created.id}`);
    } catch (failure) {
      if (failure instanceof PriceChangedError) {
        price.replace(failure.quoted);
        notify(t.newPrice, "bad");
      } else if (!stop.current.signal.aborted) {
        setError(failure);
      }
    } finally {
      isSending.current = false;
      setPhase("typing");
    }
  };
  const fieldErrors = fieldErrorsOf(error).length > 0 ? fieldErrorsOf(error) : price.fieldErrors;
  return (
    <Page title={t.title}>
      <form
        class="create"
        onSubmit={submit}
        onKeyDown={(event) => {
          if (!isSubmit(event)) return;
          event.preventDefault();
          event.currentTarget.requestSubmit();
        }}
        noValidate
      >
        <FieldErrors.Provider value={fieldErrors}>
          <div class="create-form">
            <ErrorBox error={error} />
            <Conflict error={error} />
            {draft.value.deliveries.map((one, at) => (
              <DeliveryFields key={at} at={at} value={one} />
            ))}
            <button
              type="button"
              class="button"
              onClick={() => change({ deliveries: [...draft.value.deliveries, emptyDelivery()] })}
            >
              {t.add}
            </button>
            <Head />
            <LoadFields value={draft.value.load ?? emptyLoad()} set={(load) => change({ load })} />
          </div>
          <aside class="create-price" aria-label={t.price}>
            {/* Above the price, which changes its height: otherwise a button can move away while it is clicked. */}
            <div class="row">
              <button
                type="submit"
                class="button primary big"
                aria-disabled={phase !== "typing"}
                aria-keyshortcuts="Control+Enter Meta+Enter"
              >
                {phase === "typing" ? t.submit : t.sending}
              </button>
              {phase === "waiting" ? (
                <button type="button" class="button" onClick={() => stop.current?.abort()}>
                  {t.stop}
                </button>
              ) : (
                <button
                  type="button"
                  class="button"
                  onClick={() => {
                    clearDraft();
                    setError(null);
                  }}
                >
                  {t.clear}
                </button>
              )}
              <kbd aria-hidden="true">{SUBMIT_KEYS}</kbd>
            </div>
            {phase === "waiting" && (
              <p class="notice" role="status">
                {t.waiting}
              </p>
            )}
            <PricePanel of={price} />
          </aside>
        </FieldErrors.Provider>
      </form>
    </Page>
  );
}

function Conflict(props: { error: unknown }) {
  const t = createTexts.value;
  const problem = props.error instanceof ApiError ? props.error.problem : null;
  if (problem?.orderId === undefined) return null;
  return (
    <p class="notice">
      {t.conflict} <a href={`#/orders/${problem.orderId}`}>{t.conflictOpen}</a>
    </p>
  );
}

function Head() {
  const t = createTexts.value;
  const value = draft.value;
  const stores = accessibleStores.value;
  return (
    <section class="card">
      <div class="grid">
        <TextField
          pointer="/code"
          label={t.code}
          hint={t.codeHint}
          value={codeOf(value)}
          set={(code) => change({ code })}
          suggested={value.code === null}
          max={64}
        />
        <TextField
          pointer="/preparationTime"
          label={t.preparation}
          hint={t.preparationHint}
          value={preparationOf(value)}
          set={(preparation) => change({ preparation })}
          suggested={value.preparation === null}
          mode="numeric"
        />
        {stores.length > 1 && (
          <ChoiceField
            pointer="/store/userPlatformId"
            label={t.from}
            value={value.store === "" ? String(store.value?.id ?? "") : value.store}
            set={(chosen) => change({ store: chosen })}
            options={stores.map((one) => [String(one.id), one.name])}
          />
        )}
        {value.deliveries.length > 1 && (
          <CheckField
            pointer="/sortByBestRoute"
            label={t.best}
            value={value.best}
            set={(best) => change({ best })}
          />
        )}
      </div>
      <OptionalSection
        title={t.options}
        used={(value.deliverAt ?? "") + (value.instructions ?? "") !== ""}
      >
        <div class="grid">
          <TextField
            pointer="/deliverAt"
            label={t.deliverAt}
            hint={t.deliverAtHint}
            value={value.deliverAt ?? ""}
            set={(deliverAt) => change({ deliverAt })}
            type="datetime-local"
            optional
          />
          <TextField
            pointer="/pickupInstructions"
            label={t.instructions}
            value={value.instructions ?? ""}
            set={(instructions) => change({ instructions })}
            optional
            max={1000}
            wide
          />
        </div>
      </OptionalSection>
    </section>
  );
}

function DeliveryFields(props: { at: number; value: DeliveryDraft }) {
  const t = createTexts.value;
  const { at, value } = props;
  const base = `/deliveries/${at}`;
  const set = (part: Partial<DeliveryDraft>) => changeDelivery(at, part);
  return (
    <fieldset class="card">
      <legend>{t.delivery(at + 1)}</legend>
      {draft.value.deliveries.length > 1 && (
        <button
          type="button"
          class="button small corner"
          aria-label={t.removeDelivery(at + 1)}
          onClick={() =>
            change({ deliveries: draft.value.deliveries.filter((_, index) => index !== at) })
          }
        >
          {texts.value.common.remove}
        </button>
      )}
      <div class="grid" data-first={at === 0 ? true : undefined}>
        <TextField
          pointer={`${base}/phone`}
          label={t.phone}
          hint={value.confirm ? t.phoneCodeHint : t.phoneHint}
          value={value.phone}
          set={(phone) => set({ phone })}
          format={phoneFormat}
          max={32}
          type="tel"
          mode="tel"
          optional={!value.confirm}
        />
        <KnownCustomer
          typed={value.phone}
          value={`#f-deliveries-${at}-productValue`}
          use={(known) => fillInKnown(at, known)}
        />
        <TextField
          pointer={`${base}/name`}
          label={t.name}
          value={value.name}
          set={(name) => set({ name })}
          max={255}
          optional
        />
      </div>
      <AddressFields
        pointer={`${base}/address`}
        value={addressOf(draft.value, at)}
        set={(address) => changeAddress(at, address)}
        lookup={{
          find: postcode,
          latest: () =>
            draft.value.deliveries[at] === undefined ? undefined : addressOf(draft.value, at),
        }}
      />
      <div class="grid">
        {value.confirm && (
          <TextField
            pointer={`${base}/email`}
            label={t.email}
            value={value.email ?? ""}
            set={(email) => set({ email })}
            max={400}
            type="email"
            mode="email"
            optional
          />
        )}
        <TextField
          pointer={`${base}/productValue`}
          label={t.value}
          value={value.value}
          set={(goods) => set({ value: goods })}
          mode="decimal"
          optional
        />
        <TextField
          pointer={`${base}/observation`}
          label={t.observation}
          value={value.observation}
          set={(observation) => set({ observation })}
          optional
          max={1000}
          wide
        />
      </div>
      <div class="checks">
        <CheckField
          pointer={`${base}/onlinePayment`}
          label={t.online}
          hint={t.onlineHint}
          value={value.paid}
          set={(paid) => set({ paid })}
        />
        <CheckField
          pointer={`${base}/confirmation/platform`}
          label={t.confirm}
          value={value.confirm}
          set={(confirm) => set({ confirm })}
        />
      </div>
      {!value.paid && <PaymentFields base={base} value={value} set={set} />}
      <OptionalSection title={t.window} used={(value.from ?? "") + (value.until ?? "") !== ""}>
        <FieldGroup pointer={`${base}/window`} label={t.window}>
          <div class="grid two">
            <TextField
              pointer={`${base}/window/from`}
              label={t.windowFrom}
              value={value.from ?? ""}
              set={(from) => set({ from })}
              type="datetime-local"
            />
            <TextField
              pointer={`${base}/window/until`}
              label={t.windowUntil}
              value={value.until ?? ""}
              set={(until) => set({ until })}
              type="datetime-local"
            />
          </div>
          <p class="hint">{t.windowHint}</p>
        </FieldGroup>
      </OptionalSection>
    </fieldset>
  );
}

function PaymentFields(props: {
  base: string;
  value: DeliveryDraft;
  set: (part: Partial<DeliveryDraft>) => void;
}) {
  const t = createTexts.value;
  const { base, value, set } = props;
  const method = value.payment ?? "";
  const methods = Object.entries(paymentMethodTexts.value);
  return (
    <div class="grid">
      <ChoiceField
        pointer={`${base}/payment/method`}
        label={t.payment}
        value={method}
        set={(payment) => set({ payment: payment as PaymentMethod | "" })}
        options={[["", t.noPayment], ...methods]}
      />
      {method === "CASH" && (
        <TextField
          pointer={`${base}/payment/changeFor`}
          label={t.changeFor}
          hint={t.changeForHint}
          value={value.change ?? ""}
          set={(sum) => set({ change: sum })}
          mode="decimal"
          optional
        />
      )}
    </div>
  );
}
