/** The versions of the tariff; `tariffs/draft` is the editor. */

import type { TariffVersion } from "../../api/wire";
import type { PageProps } from "../page-props";
import { tariffs } from "../tariffs/api";
import { DRAFT, tariffDraft, typedTariff } from "../tariffs/draft";
import { Editor } from "../tariffs/editor";
import { tariffTexts } from "../texts/tariffs";
import { Versions, created } from "../versions";

export function TariffsPage(props: PageProps) {
  return props.rest[0] === "draft" ? <Editor /> : <TariffVersions />;
}

function TariffVersions() {
  const t = tariffTexts.value;
  const draft = tariffDraft(DRAFT);
  return (
    <Versions<TariffVersion>
      texts={t}
      draft="/tariffs/draft"
      hasDraft={draft.value.tariff !== null}
      read={async (cursor) => {
        const page = await tariffs.list(cursor);
        return { rows: page.tariffs, next: page.nextCursor };
      }}
      versionOf={(row) => row.tariff.version}
      head={t.version}
      name={({ id, createdAt, tariff }) => ({
        title: tariff.version,
        note: id === null ? t.configured : createdAt === null ? "" : created(createdAt),
      })}
      amounts={[
        { head: t.names.baseFee, of: (row) => row.tariff.baseFee },
        { head: t.perKm, of: (row) => row.tariff.perKm },
      ]}
      copy={({ tariff }, version) =>
        draft.set({ tariff: { ...typedTariff(tariff), version }, effective: "" })
      }
      remove={tariffs.remove}
    />
  );
}
