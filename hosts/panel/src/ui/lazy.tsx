/** Components that are loaded when they are first shown, to keep the first load small. */

import type { FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure, Loading } from "./parts";

/** Creates a component that loads its module on demand, and can retry after a lost connection. A dialog needs no placeholder. */
export function lazy<P extends object>(
  load: () => Promise<FunctionComponent<P>>,
  lines = 6,
): FunctionComponent<P> {
  let loaded: FunctionComponent<P> | null = null;
  return (props: P) => {
    const [Found, setFound] = useState<FunctionComponent<P> | null>(() => loaded);
    const [error, setError] = useState<unknown>(null);
    const start = () => {
      setError(null);
      load().then((component) => {
        loaded = component;
        setFound(() => component);
      }, setError);
    };
    useEffect(() => {
      if (Found === null) start();
    }, []);
    if (Found !== null) return <Found {...props} />;
    return error !== null ? (
      <Failure error={error} retry={start} />
    ) : lines > 0 ? (
      <Loading lines={lines} />
    ) : null;
  };
}
