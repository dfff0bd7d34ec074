/** The page of one object. */

import type { ComponentChildren } from "preact";
import { ApiError } from "../../api/http";
import type { Problem } from "../../api/wire";
import type { Resource } from "../../ui/load";
import { Empty, Loaded, Page } from "../../ui/parts";

interface Props<T> {
  of: Resource<T>;
  title: string;
  aside?: ComponentChildren;
  /** The code of the problem if the object does not exist, and its text. */
  missing: readonly [Problem["code"], string];
  children: (value: T) => ComponentChildren;
}

export function Detail<T>(props: Props<T>) {
  const {
    of,
    title,
    aside,
    missing: [code, text],
    children,
  } = props;
  const isMissing =
    of.value === null && of.error instanceof ApiError && of.error.problem.code === code;
  return (
    <Page title={title} aside={aside}>
      {isMissing ? (
        <Empty text={text} />
      ) : (
        <Loaded of={of} lines={6}>
          {children}
        </Loaded>
      )}
    </Page>
  );
}
