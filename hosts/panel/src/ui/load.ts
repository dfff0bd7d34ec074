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

export interface LoadOptions {
  /** Shows the value of earlier dependencies until the next one is loaded, for rows that a filter changes. Default: false. */
  keep?: boolean;
}

/** A value is not shown for other dependencies, for example under the name of another store. */
export function useLoad<T>(
  read: () => Promise<T>,
  dependencies: readonly unknown[],
  { keep = false }: LoadOptions = {},
): Resource<T> {
  const key = keep ? "" : JSON.stringify(dependencies);
  const [loaded, setLoaded] = useState<{ key: string; value: T | null; error: unknown }>({
    key,
    value: null,
    error: null,
  });
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
        setLoaded({ key, value: found, error: null });
      },
      (failure: unknown) => {
        if (request !== latestRequest.current) return;
        setLoaded((before) => ({
          key,
          value: before.key === key ? before.value : null,
          error: failure,
        }));
        if (failure instanceof NetworkError) void whenOnline(stop.signal).then(reload, () => {});
      },
    );
    return () => stop.abort();
  }, [...dependencies, revision, language.value]);
  const set = (value: T) =>
    setLoaded((before) => (before.key === key ? { key, value, error: null } : before));
  const { value, error } = loaded.key === key ? loaded : { value: null, error: null };
  return { value, error, reload, set };
}
