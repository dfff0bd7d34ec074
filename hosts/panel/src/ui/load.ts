/** Reading something for a page: once, again on demand or in another language, and by itself after a failure. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { Unreachable, whenOnline } from "../api/http";
import { language } from "../i18n";

export interface Loaded<T> {
  value: T | null;
  error: unknown;
  again: () => void;
  set: (value: T) => void;
}

export function useLoad<T>(read: () => Promise<T>, needs: readonly unknown[]): Loaded<T> {
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [turn, setTurn] = useState(0);
  const reading = useRef(0);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  useEffect(() => {
    const stop = new AbortController();
    reading.current += 1;
    const mine = reading.current;
    read().then(
      (found) => {
        if (mine !== reading.current) return;
        setValue(found);
        setError(null);
      },
      (fault: unknown) => {
        if (mine !== reading.current) return;
        setError(fault);
        if (fault instanceof Unreachable) void whenOnline(stop.signal).then(again, () => {});
      },
    );
    return () => stop.abort();
  }, [...needs, turn, language.value]);
  return { value, error, again, set: setValue };
}
