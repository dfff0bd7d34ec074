/** The badges of a store. */

import type { OperatorStore } from "../api/wire";
import { storeTexts } from "./texts/stores";

export function StoreBadges(props: { of: OperatorStore }) {
  const t = storeTexts.value;
  const { disabled, parentDisabled, sandbox } = props.of;
  const isActive = !disabled && !parentDisabled;
  return (
    <span class="badges">
      <span class={`badge ${isActive ? "good" : "bad"}`}>
        {disabled ? t.disabled : parentDisabled ? t.parentDisabled : t.active}
      </span>
      {sandbox && <span class="badge">{t.sandbox}</span>}
    </span>
  );
}
