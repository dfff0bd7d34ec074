/** Data that is read again regularly while the page is visible. */

import { useEffect } from "preact/hooks";
import { useLoad, type LoadOptions, type Resource } from "../ui/load";

/** The interval in milliseconds can depend on the value, which is null before the first response. */
export function usePolled<T>(
  read: () => Promise<T>,
  dependencies: readonly unknown[],
  interval: number | ((value: T | null) => number),
  options?: LoadOptions,
): Resource<T> {
  const resource = useLoad(read, dependencies, options);
  const { reload, value } = resource;
  const intervalMs = typeof interval === "number" ? interval : interval(value);
  useEffect(() => {
    const onTime = () => {
      if (!document.hidden) reload();
    };
    const timer = setInterval(onTime, intervalMs);
    document.addEventListener("visibilitychange", onTime);
    return () => {
      clearInterval(timer);
      document.removeEventListener("visibilitychange", onTime);
    };
  }, [reload, intervalMs]);
  return resource;
}
