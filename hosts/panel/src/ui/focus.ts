/** Moves the focus to the page that the user opens, which makes screen readers announce it. */

import { effect } from "@preact/signals";
import { useLayoutEffect } from "preact/hooks";
import { go, path } from "../router";

/** Selects the field that has the focus when its page opens. */
const FIRST_FIELD = "[data-first] :is(input, select)";

/** Focuses the first field of a page without a menu. */
export function useFirstField(): void {
  useLayoutEffect(() => find(FIRST_FIELD)?.focus(), []);
}

const find = (selector: string) => document.querySelector<HTMLElement>(selector);

/** The page that [`goAndFocus`] requested, by its path, and the element that it focuses. */
let requested: { path: string; selector: string } | undefined;
/** The page that was opened and has not appeared yet. It focuses its first field or its title unless it has a selector. */
let opened: { selector?: string } | undefined;
let current = path.peek();

effect(() => {
  if (path.value === current) return;
  current = path.value;
  opened = requested?.path === current ? requested : {};
  requested = undefined;
});

/** Opens a page, by its path without a leading slash, and focuses an element of it. */
export function goAndFocus(page: string, selector: string): void {
  // The present page is still being loaded.
  if (page === current) opened = { selector };
  else requested = { path: page, selector };
  go(`/${page}`);
}

/** Focuses a page before it is painted, so that the next key already applies to it. */
export function usePageFocus(): void {
  useLayoutEffect(() => {
    const page = opened;
    opened = undefined;
    if (page !== undefined) scrollTo(0, 0);
    else if (document.activeElement !== document.body) return;
    // The browser announces the first page.
    const title = page === undefined ? null : find("#title");
    const target =
      page?.selector === undefined ? (find(FIRST_FIELD) ?? title) : find(page.selector);
    target?.focus();
    // Typing replaces a suggested value, as after the tab key.
    if (target instanceof HTMLInputElement) target.select();
  }, []);
}
