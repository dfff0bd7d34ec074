/** The users of a store and the links that set their passwords, in the panel and in the operator's console. */

import type { PasswordLink, User } from "../api/wire";
import { zone } from "../context";
import { dateTime } from "../format";
import { accessTexts } from "../i18n/access";
import { Secret } from "./parts";
import type { Column } from "./table";

/** Creates the columns of a table of users, without the actions. */
export function userColumns(): Column<User>[] {
  const t = accessTexts.value;
  return [
    {
      head: t.name,
      kind: "main",
      cell: (user) => (
        <>
          <span class="strong">{user.name}</span>
          {!user.hasPassword && <span class="sub">{t.pending}</span>}
        </>
      ),
    },
    { head: t.email, cell: (user) => user.email },
    { head: t.role, cell: (user) => t.roles[user.role] },
  ];
}

/** A new link that sets a password. */
export function NewPasswordLink(props: { lead: string; link: PasswordLink }) {
  const t = accessTexts.value;
  const { url, code, expiresAt, mailed } = props.link;
  const until = t.linkUntil(dateTime(expiresAt, zone.value));
  return (
    <Secret
      lead={props.lead}
      value={url ?? `${location.origin}/#/password/${code}`}
      note={mailed === null ? until : `${until} ${t.linkMailed(mailed)}`}
    />
  );
}
