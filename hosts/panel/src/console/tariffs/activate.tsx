/** The confirmation that puts a draft into effect. It shows what the draft changes for past orders. */

import { useEffect } from "preact/hooks";
import { ApiError } from "../../api/http";
import type { FieldError, TariffVersion } from "../../api/wire";
import { zone } from "../../context";
import { dateTime } from "../../format";
import { go } from "../../router";
import { Confirm } from "../../ui/confirm";
import { notify } from "../../ui/toast";
import { EffectiveField, effectiveFrom } from "../draft-parts";
import { tariffTexts } from "../texts/tariffs";
import { tariffs, type Tariff } from "./api";
import { DRAFT, tariffDraft } from "./draft";
import { DEFAULT_DAYS, Progress, Totals, useWhatIf, type Calculated } from "./what-if";

interface Props {
  tariff: Tariff;
  /** The last comparison of the page. */
  known: Calculated | null;
  /** Called with the invalid fields of the tariff, which the form shows. */
  rejected: (fields: readonly FieldError[]) => void;
  close: () => void;
}

export function Activation(props: Props) {
  const t = tariffTexts.value;
  const { tariff, known, rejected, close } = props;
  const draft = tariffDraft(DRAFT);
  const { effective } = draft.value;
  const own = useWhatIf();
  // A comparison of all stores with the same draft is not repeated.
  const isKnown = known !== null && known.storeId === null && known.key === JSON.stringify(tariff);
  useEffect(() => {
    if (!isKnown) own.calculate(tariff, DEFAULT_DAYS, null);
  }, []);
  const shown = isKnown ? known : own.value;
  const isTariffs = (error: unknown): error is ApiError =>
    error instanceof ApiError && error.fields.some(({ pointer }) => pointer.startsWith("/tariff"));
  const act = () =>
    tariffs.create({ tariff, ...effectiveFrom(effective) }, draft.key()).catch((error: unknown) => {
      if (isTariffs(error)) rejected(error.fields);
      throw error;
    });
  const done = (version: TariffVersion) => {
    draft.clear();
    const { version: name } = version.tariff;
    notify(
      version.state === "SCHEDULED" && version.effectiveFrom !== null
        ? t.scheduled(name, dateTime(version.effectiveFrom, zone.value))
        : t.activated(name),
    );
    go("/tariffs");
  };
  const isReady = shown !== null || own.error !== null || own.cancelled;
  return (
    <Confirm
      title={t.activateTitle(tariff.version)}
      text={t.activateText}
      submitLabel={isReady ? t.activate : null}
      closeLabel={t.cancel}
      act={act}
      done={done}
      close={close}
    >
      {shown !== null && (
        <div class="stack" data-testid="summary">
          <p class="strong">{t.summary(shown.result.orders, shown.days)}</p>
          <Totals of={shown.result} />
        </div>
      )}
      {!isReady && <Progress of={own} />}
      {shown === null && isReady && (
        <p class="error-box" role="alert">
          {isTariffs(own.error) ? t.invalid(own.error.fields.length) : t.summaryFailed}
        </p>
      )}
      <EffectiveField value={effective} set={(value) => draft.set({ effective: value })} />
    </Confirm>
  );
}
