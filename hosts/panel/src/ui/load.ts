/** Loads data for a page, and reloads it on demand, after a change of language and after a network error. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { NetworkError, whenOnline } from "../api/http";
import { language } from "../i18n";

export interface Resource<T> {
  value: T | null;
  error: unknown;
  reload: () => void;
  set: (value: T) => void;
}

export function useLoad<T>(read: () => Promise<T>, dependencies: readonly unknown[]): Resource<T> {
  const [value, setValue] = useState<T | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [revision, setRevision] = useState(0);
  const latestRequest = useRef(0);
  const reload = useCallback(() => setRevision((before) => before + 1), []);
  useEffect(() => {
    const stop = new AbortController();
    latestRequest.current += 1;
    const request = latestRequest.current;
    read().then(
      (found) => {
        if (request !== latestRequest.current) return;
        setValue(found);
        setError(null);
      },
      (failure: unknown) => {
        if (request !== latestRequest.current) return;
        setError(failure);
        if (failure instanceof NetworkError) void whenOnline(stop.signal).then(reload, () => {});
      },
    );
    return () => stop.abort();
  }, [...dependencies, revision, language.value]);
  return { value, error, reload, set: setValue };
}
