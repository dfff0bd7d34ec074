import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { form } from "../../api/http";
import type { CreateTopUp, OperatorStore, PasswordLink, StoreDispatch, User } from "../../api/wire";
import { zone } from "../../context";
import {
  addressLine,
  cnpj,
  day,
  localityLine,
  money,
  nextDay,
  phone,
  startOfDay,
  typed,
} from "../../format";
import { accessTexts } from "../../i18n/access";
import { amount as readAmount, decimal } from "../../numbers";
import { AuditLog } from "../../ui/audit-log";
import { Confirm } from "../../ui/confirm";
import { ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../../ui/field";
import { DayChoice } from "../../ui/filters";
import { useLoad } from "../../ui/load";
import { Fact, Loaded, Secret, When } from "../../ui/parts";
import { STATEMENT_PAGE, StatementLines, readStatement } from "../../ui/statement";
import { useSubmit } from "../../ui/submit";
import { Table, actionsColumn } from "../../ui/table";
import { notify, notifyError } from "../../ui/toast";
import { NewPasswordLink, userColumns } from "../../ui/users";
import { audit, stores } from "../api";
import { formDraft } from "../draft";
import { filter, nameOf, noFilter } from "../order-filter";
import { StoreBadges } from "../store-status";
import { storeTexts } from "../texts/stores";
import { Detail } from "../ui/detail";
import { TopUpRequests } from "../ui/top-ups";
import { balanceTexts } from "../../i18n/balance";
import { branchTexts } from "../../i18n/stores";

const MONTH_MS = 30 * 86_400_000;

/** The API key of the latest new store, shown only once. */
export const newStoreKey = signal<{ id: number; value: string } | null>(null);

interface Props {
  store: OperatorStore;
  set: (store: OperatorStore) => void;
}

export function StorePage(props: { id: number }) {
  const t = storeTexts.value;
  const found = useLoad(() => stores.get(props.id), [props.id]);
  const { value, set, reload } = found;
  return (
    <Detail
      of={found}
      title={value?.name ?? t.title}
      aside={value !== null && <Actions store={value} set={set} />}
      missing={["store_not_found", t.missing]}
    >
      {(store) => <Found store={store} set={set} reload={reload} />}
    </Detail>
  );
}

function Found(props: Props & { reload: () => void }) {
  const t = storeTexts.value;
  const { store } = props;
  const key = newStoreKey.value;
  return (
    <>
      <p class="heading">
        <StoreBadges of={store} />
        {store.matrix === null ? (
          <span>{t.parent}</span>
        ) : (
          <a href={`#/stores/${store.matrix.id}`}>{t.branch(store.matrix.id)}</a>
        )}
        <a
          href="#/orders"
          onClick={() =>
            (filter.value = { ...noFilter(), store: { text: nameOf(store), id: store.id } })
          }
        >
          {t.orders}
        </a>
      </p>
      {key?.id === store.id && <Secret lead={t.created} value={key.value} note={t.once} />}
      <div class="order-grid">
        <div class="order-main">
          <Users storeId={store.id} />
          <TopUpRequests storeId={store.id} changed={props.reload} />
          <Statement store={store} changed={props.reload} />
        </div>
        <div class="order-side">
          <Facts store={store} />
          <Password store={store} />
          <Credit {...props} />
          <Dispatch store={store} />
        </div>
      </div>
      <div class="below">
        <AuditLog
          read={(cursor) => audit(cursor, store.id)}
          storeName={
            store.matrix === null ? (id) => (id === store.id ? store.name : `#${id}`) : null
          }
        />
      </div>
    </>
  );
}

function Actions(props: Props) {
  const t = storeTexts.value;
  const { store, set } = props;
  const [isOpen, setOpen] = useState(false);
  const change = async (disabled: boolean) => {
    set(await stores.change(store.id, { disabled }));
    notify(disabled ? t.didDisable : t.didEnable);
  };
  if (store.disabled)
    return (
      <button type="button" class="button" onClick={() => void change(false).catch(notifyError)}>
        {t.enable}
      </button>
    );
  return (
    <>
      <button type="button" class="button danger" onClick={() => setOpen(true)}>
        {t.disable}
      </button>
      {isOpen && (
        <Confirm
          danger
          title={t.disableTitle(store.name)}
          text={<p>{t.disableText}</p>}
          submitLabel={t.disable}
          act={() => change(true)}
          done={() => setOpen(false)}
          close={() => setOpen(false)}
        />
      )}
    </>
  );
}

function Facts(props: { store: OperatorStore }) {
  const t = storeTexts.value;
  const panel = branchTexts.value;
  const { store } = props;
  return (
    <section class="card">
      <h2>{t.details}</h2>
      <dl class="facts">
        <Fact name="ID">
          <span class="number">{store.id}</span>
        </Fact>
        <Fact name={panel.cnpj}>
          <span class="number">{cnpj(store.cnpj)}</span>
        </Fact>
        <Fact name={panel.address} hint={localityLine(store.address)}>
          {addressLine(store.address)}
        </Fact>
        <Fact name={panel.contact} hint={phone(store.responsible.phone ?? "")}>
          {store.responsible.name}
        </Fact>
        <Fact name={panel.email}>
          <span class="break">{store.email}</span>
        </Fact>
        <Fact name={panel.industry}>{panel.industries[store.marketplaceBranchId] ?? ""}</Fact>
        <Fact name={t.createdAt}>
          <When at={store.createdAt} full />
        </Fact>
      </dl>
    </section>
  );
}

/** Creates a link that sets the password of the store's own login. */
function Password(props: { store: OperatorStore }) {
  const t = storeTexts.value;
  const [link, setLink] = useState<PasswordLink | null>(null);
  const [busy, setBusy] = useState(false);
  const issue = () => {
    if (busy) return;
    setBusy(true);
    stores
      .passwordLink(props.store.id)
      .then(setLink, notifyError)
      .finally(() => setBusy(false));
  };
  return (
    <section class="card" data-testid="password-link">
      <h2>{t.password}</h2>
      <p class="hint">{t.passwordHint}</p>
      {link !== null && <NewPasswordLink lead={t.link} link={link} />}
      <button type="button" class="button" aria-disabled={busy} onClick={issue}>
        {t.newLink}
      </button>
    </section>
  );
}

/** The users of the store, and links that set their passwords. */
function Users(props: { storeId: number }) {
  const t = accessTexts.value;
  const { storeId } = props;
  const [user, setUser] = useState<User | null>(null);
  const [issued, setIssued] = useState<{ name: string; link: PasswordLink } | null>(null);
  const list = useLoad(() => stores.users(storeId), [storeId]);
  const close = () => setUser(null);
  const action = (of: User) => (
    <button
      type="button"
      class="button small"
      aria-label={`${t.newLink}: ${of.name}`}
      onClick={() => setUser(of)}
    >
      {t.newLink}
    </button>
  );
  return (
    <section aria-labelledby="users">
      <h2 id="users">{t.users}</h2>
      {issued !== null && (
        <NewPasswordLink lead={storeTexts.value.userLink(issued.name)} link={issued.link} />
      )}
      <Loaded of={list} lines={2}>
        {({ users }) =>
          users.length === 0 ? (
            <p class="hint">{t.noUsers}</p>
          ) : (
            <Table
              label={t.users}
              rows={users}
              id={(one) => one.id}
              columns={[...userColumns(), actionsColumn(action)]}
            />
          )
        }
      </Loaded>
      {user !== null && (
        <Confirm
          title={`${t.newLink}: ${user.name}`}
          text={t.newLinkText}
          submitLabel={t.newLink}
          act={() => stores.passwordLink(storeId, user.id)}
          done={(link) => {
            setIssued({ name: user.name, link });
            close();
          }}
          close={close}
        />
      )}
    </section>
  );
}

/** A form in a card, which shows the API's errors at its fields. */
function CardForm<T>(props: {
  title: string;
  hint?: string;
  submitLabel: string;
  testId: string;
  act: () => Promise<T>;
  done: (result: T) => void;
  children: ComponentChildren;
}) {
  const { error, busy, submit } = useSubmit(props.act, props.done);
  return (
    <form class="card stack" onSubmit={submit} noValidate data-testid={props.testId}>
      <h2>{props.title}</h2>
      {props.hint !== undefined && <p class="hint">{props.hint}</p>}
      <FieldErrors.Provider value={fieldErrorsOf(error)}>
        <ErrorBox error={error} />
        {props.children}
      </FieldErrors.Provider>
      <p class="row">
        <button type="submit" class="button" aria-disabled={busy}>
          {props.submitLabel}
        </button>
      </p>
    </form>
  );
}

/** Null is the current value. */
const floorDraft = formDraft("floor", (): { floor: string | null } => ({ floor: null }));

/** The minimum balance of a prepaid parent store. */
function Credit(props: Props) {
  const t = storeTexts.value;
  const { store, set } = props;
  const draft = floorDraft(store.id);
  if (store.prepaidFloor === null) return null;
  if (store.matrix !== null)
    return (
      <section class="card">
        <h2>{t.credit}</h2>
        <p class="hint">{t.creditBranch}</p>
      </section>
    );
  const shown = draft.value.floor ?? typed(store.prepaidFloor);
  const done = (changed: OperatorStore) => {
    draft.clear();
    set(changed);
    notify(t.floorSaved);
  };
  return (
    <CardForm
      title={t.credit}
      submitLabel={t.saveFloor}
      testId="credit"
      act={() => stores.change(store.id, { prepaidFloor: readAmount(shown) ?? 0 })}
      done={done}
    >
      <TextField
        pointer="/prepaidFloor"
        label={t.floor}
        hint={t.floorHint}
        value={shown}
        set={(floor) => draft.set({ floor })}
        max={12}
      />
    </CardForm>
  );
}

/** Null fields are the current terms; empty ones take the deployment's. */
const termsDraft = formDraft("terms", (): { lead: string | null; perTrip: string | null } => ({
  lead: null,
  perTrip: null,
}));

function Dispatch(props: { store: OperatorStore }) {
  const t = storeTexts.value;
  const { id } = props.store;
  const draft = termsDraft(id);
  const terms = useLoad(() => stores.dispatch(id), [id]);
  const done = (changed: StoreDispatch) => {
    draft.clear();
    terms.set(changed);
    notify(t.dispatchSaved);
  };
  return (
    <Loaded of={terms} lines={2}>
      {(current) => {
        const lead = draft.value.lead ?? String(current.leadMinutes ?? "");
        const perTrip = draft.value.perTrip ?? String(current.ordersPerTrip ?? "");
        const act = () =>
          stores.setDispatch(id, {
            leadMinutes: decimal(lead) ?? null,
            ordersPerTrip: decimal(perTrip) ?? null,
          });
        return (
          <CardForm
            title={t.dispatch}
            hint={t.dispatchHint}
            submitLabel={t.save}
            testId="terms"
            act={act}
            done={done}
          >
            <TextField
              pointer="/leadMinutes"
              label={t.lead}
              hint={t.leadHint(current.effective.leadMinutes)}
              value={lead}
              set={(text) => draft.set({ lead: text })}
              mode="numeric"
              max={6}
              optional
            />
            <TextField
              pointer="/ordersPerTrip"
              label={t.perTrip}
              hint={t.perTripHint(current.effective.ordersPerTrip)}
              value={perTrip}
              set={(text) => draft.set({ perTrip: text })}
              mode="numeric"
              max={6}
              optional
            />
          </CardForm>
        );
      }}
    </Loaded>
  );
}

const topUpDraft = formDraft("top-up", () => ({ amount: "", reference: "" }));

/** The balance, a form that books a payment, and the entries of a period, newest first. */
function Statement(props: { store: OperatorStore; changed: () => void }) {
  const t = storeTexts.value;
  const panel = balanceTexts.value;
  const { store } = props;
  const draft = topUpDraft(store.id);
  const today = day(new Date(), zone.value);
  const [period, setPeriod] = useState({
    from: day(new Date(Date.now() - MONTH_MS), zone.value),
    to: today,
  });
  const list = useLoad(() => loadLines(store.id, period), [store.id, period.from, period.to]);
  const { amount, reference } = draft.value;
  const act = () =>
    stores.topUp(
      store.id,
      form<CreateTopUp>({ amount: readAmount(amount), reference: reference.trim() }),
      draft.key(),
    );
  const done = () => {
    draft.clear();
    notify(t.toppedUp);
    list.reload();
    props.changed();
  };
  return (
    <>
      <CardForm title={panel.title} submitLabel={t.topUp} testId="balance" act={act} done={done}>
        <p class="amount">{store.balance === undefined ? "—" : money(store.balance)}</p>
        {store.balanceStoreId !== store.id && (
          <p>
            <a href={`#/stores/${store.balanceStoreId}`}>{t.sharedBalance(store.balanceStoreId)}</a>
          </p>
        )}
        <div class="grid two">
          <TextField
            pointer="/amount"
            label={t.topUpAmount}
            value={amount}
            set={(text) => draft.set({ amount: text })}
            mode="decimal"
            max={12}
          />
          <TextField
            pointer="/reference"
            label={t.topUpReference}
            hint={t.topUpHint}
            value={reference}
            set={(text) => draft.set({ reference: text })}
            max={64}
          />
        </div>
      </CardForm>
      <section aria-labelledby="statement">
        <h2 id="statement">{panel.statement}</h2>
        <div class="filters">
          <DayChoice
            label={panel.from}
            value={period.from}
            max={period.to}
            set={(from) => setPeriod({ ...period, from })}
          />
          <DayChoice
            label={panel.to}
            value={period.to}
            min={period.from}
            max={today}
            set={(to) => setPeriod({ ...period, to })}
          />
        </div>
        <Loaded of={list}>{(found) => <StatementLines of={found} />}</Loaded>
      </section>
    </>
  );
}

function loadLines(id: number, period: { from: string; to: string }) {
  const query = {
    from: startOfDay(period.from, zone.value).toISOString(),
    to: startOfDay(nextDay(period.to), zone.value).toISOString(),
    limit: STATEMENT_PAGE,
  };
  return readStatement((cursor) => stores.statement(id, { ...query, cursor }));
}
