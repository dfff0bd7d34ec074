/** The log of all changes: of stores, couriers and tariffs. */

import type { AuditEntry } from "../../api/wire";
import { accessTexts } from "../../i18n/access";
import { AuditLog } from "../../ui/audit-log";
import { Page } from "../../ui/parts";
import { audit } from "../api";
import type { PageProps } from "../page-props";
import { consoleTexts } from "../texts";

const storeLink = (id: number) => (
  <a class="number" href={`#/stores/${id}`}>
    #{id}
  </a>
);

/** Only couriers and stores have a page. */
function subject({ action, subjectId }: AuditEntry) {
  return action.startsWith("courier.") ? (
    <a href={`#/couriers/${subjectId}`}>#{subjectId}</a>
  ) : (
    `#${subjectId}`
  );
}

export function ChangesPage(_: PageProps) {
  return (
    <Page title={accessTexts.value.log} lead={consoleTexts.value.changesLead}>
      <AuditLog isPage read={(cursor) => audit(cursor)} storeName={storeLink} subject={subject} />
    </Page>
  );
}
