/** A filter of lists by store. */

import { texts } from "../i18n";
import { accessibleStores } from "../session";

/** A choice of the session's stores, hidden if there is only one. */
export function StoreChoice(props: { value: number; set: (store: number) => void }) {
  if (accessibleStores.value.length < 2) return null;
  return (
    <label class="inline">
      <span>{texts.value.common.store}</span>
      <select
        value={String(props.value)}
        onChange={(event) => props.set(Number(event.currentTarget.value))}
      >
        {accessibleStores.value.map((one) => (
          <option key={one.id} value={String(one.id)}>
            {one.name}
          </option>
        ))}
      </select>
    </label>
  );
}
