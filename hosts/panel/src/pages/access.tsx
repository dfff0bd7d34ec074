/** The users of a store with their sessions, the own password, and the log of changes. */

import { useState } from "preact/hooks";
import { audit, passwords, sessions, users } from "../api/client";
import { newIdempotencyKey } from "../api/http";
import type { PasswordLink, Role, Session, User } from "../api/wire";
import { texts } from "../i18n";
import { accessTexts } from "../i18n/access";
import { accessibleStores, isOwner, logOut, store, storeName } from "../session";
import { AuditLog } from "../ui/audit-log";
import { Confirm } from "../ui/confirm";
import { ChoiceField, ErrorBox, FieldErrors, TextField, fieldErrorsOf } from "../ui/field";
import { useLoad } from "../ui/load";
import { Empty, Loaded, Page, When } from "../ui/parts";
import { StoreChoice } from "../ui/store-choice";
import { Table, actionsColumn } from "../ui/table";
import { useSubmit } from "../ui/submit";
import { notify, notifyError } from "../ui/toast";
import { NewPasswordLink, userColumns } from "../ui/users";

export function AccessPage() {
  const t = accessTexts.value;
  const list = useLoad(() => sessions.list(), []);
  return (
    <Page title={t.title} lead={t.lead}>
      <div class="sections">
        {isOwner.value && <Users ended={list.reload} />}
        <section aria-labelledby="sessions">
          <h2 id="sessions">{t.sessions}</h2>
          <Loaded of={list}>
            {(page) => <SessionTable sessions={page.sessions} reload={list.reload} />}
          </Loaded>
        </section>
        <OwnPassword done={list.reload} />
        {isOwner.value && (
          <AuditLog
            read={audit.list}
            storeName={accessibleStores.value.length > 1 ? storeName : null}
          />
        )}
      </div>
    </Page>
  );
}

type Open = { kind: "add" } | { kind: "change" | "remove" | "link"; user: User } | null;

function Users(props: { ended: () => void }) {
  const t = accessTexts.value;
  const [storeId, setStoreId] = useState(store.value?.id ?? 0);
  const [open, setOpen] = useState<Open>(null);
  const [link, setLink] = useState<PasswordLink | null>(null);
  const list = useLoad(() => users.list(storeId), [storeId]);
  const close = () => setOpen(null);
  const done = (message: string | null) => {
    close();
    if (message !== null) notify(message);
    list.reload();
    props.ended();
  };
  const show = (issued: PasswordLink) => {
    setLink(issued);
    done(null);
  };
  return (
    <section aria-labelledby="users">
      <div class="row between">
        <h2 id="users">{t.users}</h2>
        <button type="button" class="button primary" onClick={() => setOpen({ kind: "add" })}>
          {t.add}
        </button>
      </div>
      <p class="hint">{t.rolesHint}</p>
      {link !== null && <NewPasswordLink lead={t.link} link={link} />}
      {accessibleStores.value.length > 1 && (
        <div class="filters">
          <StoreChoice value={storeId} set={setStoreId} />
        </div>
      )}
      <Loaded of={list}>
        {(page) =>
          page.users.length === 0 ? (
            <Empty text={t.noUsers} hint={t.noUsersHint} />
          ) : (
            <UserTable users={page.users} open={setOpen} />
          )
        }
      </Loaded>
      {open?.kind === "add" && (
        <AddUser storeId={storeId} close={close} done={(created) => show(created.link)} />
      )}
      {open?.kind === "change" && (
        <ChangeUser user={open.user} close={close} done={() => done(t.saved)} />
      )}
      {open?.kind === "remove" && (
        <Confirm
          danger
          title={t.removeTitle}
          text={`${open.user.name}: ${t.removeText}`}
          submitLabel={texts.value.common.remove}
          act={() => users.remove(open.user.id)}
          done={() => done(t.removed)}
          close={close}
        />
      )}
      {open?.kind === "link" && <NewLink user={open.user} close={close} done={show} />}
    </section>
  );
}

function UserTable(props: { users: readonly User[]; open: (open: Open) => void }) {
  const t = accessTexts.value;
  const action = (user: User, kind: "change" | "remove" | "link", label: string) => (
    <button
      type="button"
      class="button small"
      aria-label={`${label}: ${user.name}`}
      onClick={() => props.open({ kind, user })}
    >
      {label}
    </button>
  );
  return (
    <Table
      label={t.users}
      rows={props.users}
      id={(user) => user.id}
      columns={[
        ...userColumns(),
        actionsColumn<User>((user) => (
          <span class="row">
            {action(user, "change", t.change)}
            {action(user, "link", t.newLink)}
            {action(user, "remove", texts.value.common.remove)}
          </span>
        )),
      ]}
    />
  );
}

function useRole(first: Role) {
  const t = accessTexts.value;
  const [role, setRole] = useState<Role>(first);
  const options = (["CLERK", "OWNER"] as const).map((one) => [one, t.roles[one]] as const);
  const field = (
    <ChoiceField
      pointer="/role"
      label={t.role}
      hint={t.rolesHint}
      value={role}
      set={(value) => setRole(value === "OWNER" ? "OWNER" : "CLERK")}
      options={options}
    />
  );
  return { role, field };
}

function CurrentPassword(props: { value: string; set: (value: string) => void }) {
  const t = accessTexts.value;
  return (
    <TextField
      pointer="/currentPassword"
      label={t.password}
      hint={t.passwordHint}
      value={props.value}
      set={props.set}
      type="password"
      complete="current-password"
    />
  );
}

function AddUser(props: {
  storeId: number;
  close: () => void;
  done: (created: { link: PasswordLink }) => void;
}) {
  const t = accessTexts.value;
  const [name, setName] = useState("");
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [idempotencyKey] = useState(newIdempotencyKey);
  const { role, field } = useRole("CLERK");
  const act = () =>
    users.create(
      {
        name: name.trim(),
        email: email.trim(),
        role,
        storeId: props.storeId,
        currentPassword: password,
      },
      idempotencyKey,
    );
  return (
    <Confirm title={t.add} submitLabel={t.create} act={act} done={props.done} close={props.close}>
      <TextField pointer="/name" label={t.name} value={name} set={setName} max={255} />
      <TextField
        pointer="/email"
        label={t.email}
        value={email}
        set={setEmail}
        type="email"
        mode="email"
      />
      {field}
      <CurrentPassword value={password} set={setPassword} />
    </Confirm>
  );
}

function ChangeUser(props: { user: User; close: () => void; done: () => void }) {
  const t = accessTexts.value;
  const [name, setName] = useState(props.user.name);
  const { role, field } = useRole(props.user.role);
  return (
    <Confirm
      title={t.change}
      submitLabel={t.save}
      act={() => users.change(props.user.id, { name: name.trim(), role })}
      done={props.done}
      close={props.close}
    >
      <TextField pointer="/name" label={t.name} value={name} set={setName} max={255} />
      {field}
    </Confirm>
  );
}

function NewLink(props: { user: User; close: () => void; done: (link: PasswordLink) => void }) {
  const t = accessTexts.value;
  const [password, setPassword] = useState("");
  const [idempotencyKey] = useState(newIdempotencyKey);
  const act = () => users.link(props.user.id, password, idempotencyKey);
  return (
    <Confirm
      title={`${t.newLink}: ${props.user.name}`}
      text={t.newLinkText}
      submitLabel={t.newLink}
      act={act}
      done={props.done}
      close={props.close}
    >
      <CurrentPassword value={password} set={setPassword} />
    </Confirm>
  );
}

function SessionTable(props: { sessions: readonly Session[]; reload: () => void }) {
  const t = accessTexts.value;
  const end = async (one: Session) => {
    try {
      await sessions.remove(one.id);
      if (one.current) return void logOut();
      notify(t.ended);
    } catch (failure) {
      notifyError(failure);
    }
    props.reload();
  };
  return (
    <Table
      label={t.sessions}
      rows={props.sessions}
      id={(one) => one.id}
      columns={[
        {
          head: t.name,
          kind: "main",
          cell: (one) => (
            <>
              <span class="strong">{one.userName ?? t.ownLogin}</span>
              {one.current && <span class="sub">{t.current}</span>}
            </>
          ),
        },
        { head: t.role, cell: (one) => t.roles[one.role] },
        { head: texts.value.common.created, cell: (one) => <When at={one.createdAt} full /> },
        { head: t.expires, cell: (one) => <When at={one.expiresAt} full /> },
        actionsColumn<Session>((one) => (
          <button
            type="button"
            class="button small"
            aria-label={`${t.end}: ${one.userName ?? t.ownLogin}`}
            onClick={() => void end(one)}
          >
            {t.end}
          </button>
        )),
      ]}
    />
  );
}

function OwnPassword(props: { done: () => void }) {
  const t = accessTexts.value;
  const [current, setCurrent] = useState("");
  const [next, setNext] = useState("");
  const { error, busy, submit } = useSubmit(
    () => passwords.change(current, next),
    () => {
      setCurrent("");
      setNext("");
      notify(t.passwordSet);
      props.done();
    },
  );
  return (
    <form class="card narrow" onSubmit={submit} noValidate data-testid="own-password">
      <h2>{t.ownPassword}</h2>
      <FieldErrors.Provider value={fieldErrorsOf(error)}>
        <ErrorBox error={error} />
        <TextField
          pointer="/currentPassword"
          label={t.currentPassword}
          value={current}
          set={setCurrent}
          type="password"
          complete="current-password"
        />
        <TextField
          pointer="/newPassword"
          label={t.newPassword}
          hint={t.newPasswordHint}
          value={next}
          set={setNext}
          type="password"
          complete="new-password"
        />
      </FieldErrors.Provider>
      <button type="submit" class="button primary" aria-disabled={busy}>
        {t.setPassword}
      </button>
    </form>
  );
}
