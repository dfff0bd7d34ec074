/** A field that finds a store by its name or ID. */

import { useEffect, useState } from "preact/hooks";
import type { OperatorStore } from "../../api/wire";
import { stores } from "../api";
import { nameOf, type ChosenStore } from "../order-filter";
import { allOrdersTexts } from "../texts/orders";
import { FilterField, MIN_SEARCH, useDelayed } from "./filters";

/** Returns the ID in a text such as `Cantina #1000` or `1000`. */
function idIn(text: string): number | null {
  const found = /(?:#|^)(\d{1,15})$/.exec(text.trim());
  return found === null ? null : Number(found[1]);
}

export function StorePicker(props: {
  value: ChosenStore;
  error?: string | null;
  set: (value: ChosenStore) => void;
}) {
  const t = allOrdersTexts.value;
  const { text, id } = props.value;
  const [found, setFound] = useState<OperatorStore[]>([]);
  const query = text.trim();
  // Signs are not part of a search; the suggested texts contain them.
  const words = useDelayed(query.replace(/[^\p{L}\p{N}]+/gu, " ").trim());
  useEffect(() => {
    if (id !== null || words.length < MIN_SEARCH) return;
    let isCurrent = true;
    const show = (found: OperatorStore[]) => isCurrent && setFound(found);
    stores.list(words.slice(0, 60)).then(
      (page) => show(page.stores.slice(0, 20)),
      () => show([]),
    );
    return () => {
      isCurrent = false;
    };
  }, [words, id]);
  const error = query !== "" && id === null ? t.storeUnknown : (props.error ?? null);
  return (
    <FilterField id="store" label={t.store} error={error}>
      {(attributes) => (
        <>
          <input
            {...attributes}
            list="stores"
            value={text}
            maxLength={300}
            placeholder={t.storeHint}
            onInput={(event) =>
              props.set({ text: event.currentTarget.value, id: idIn(event.currentTarget.value) })
            }
          />
          <datalist id="stores">
            {found.map((store) => (
              <option key={store.id} value={nameOf(store)} />
            ))}
          </datalist>
        </>
      )}
    </FilterField>
  );
}
