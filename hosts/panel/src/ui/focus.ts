/** Moves the focus to the page that the user opens, which makes screen readers announce it. */

import { useLayoutEffect } from "preact/hooks";
import { go, path } from "../router";

/** Selects the field that has the focus when its page opens. */
const FIRST_FIELD = "[data-first] :is(input, select)";

/** Focuses the first field of a page without a menu. */
export function useFirstField(): void {
  useLayoutEffect(() => find(FIRST_FIELD)?.focus(), []);
}

const find = (selector: string) => document.querySelector<HTMLElement>(selector);

/** What the page with this path focuses when it opens, instead of its first field or its title. */
let requested: { path: string; selector: string } | undefined;

/** Opens a page, by its path without a leading slash, and focuses an element of it. */
export function goAndFocus(page: string, selector: string): void {
  requested = { path: page, selector };
  go(`/${page}`);
}

/** The path of the page that was opened last. */
let last: string | undefined;

/** Focuses a page in the same step in which it appears: a key that the user presses after it belongs to it. */
export function usePageFocus(): void {
  const opened = path.value;
  useLayoutEffect(() => {
    // The first page keeps the browser's focus.
    const isNew = last !== undefined && last !== opened;
    last = opened;
    const selector = requested?.path === opened ? requested.selector : undefined;
    if (selector !== undefined) requested = undefined;
    else if (!isNew) return;
    scrollTo(0, 0);
    const target = selector !== undefined ? find(selector) : (find(FIRST_FIELD) ?? find("#title"));
    target?.focus();
    // A suggested value is replaced by typing, as after the tab key.
    if (target instanceof HTMLInputElement) target.select();
  }, [opened]);
}
