/** The operator's session, which is in a cookie that scripts cannot read. The token is never stored in the page. */

import { signal } from "@preact/signals";
import { ApiError, api, credentials, invalidFields, sending } from "../api/http";
import type { FieldError } from "../api/wire";
import { clearDrafts } from "../draft";

/** `unknown` until the server has responded to the first request. */
export const state = signal<"unknown" | "signedIn" | "signedOut">("unknown");
/** Whether the last session expired or was revoked. */
export const ended = signal(false);

credentials.cookie = true;
credentials.onRejected = () => {
  if (state.value === "signedIn") ended.value = true;
  state.value = "signedOut";
};

/** Requests something that only the operator can read: the page cannot see the cookie. */
export async function restore(): Promise<void> {
  await api.GET("/admin/couriers", { params: { query: { limit: 1 } } }).then(
    () => (state.value = "signedIn"),
    (error: unknown) => {
      if (state.value === "unknown") throw error;
    },
  );
}

/** Exchanges the token for a new cookie, with which changes that outlive the session are possible for five minutes. */
export async function confirmSession(token: string): Promise<void> {
  const body = { token: token.trim() };
  await api.POST("/admin/session", { body, ...sending({ signsIn: true }) }).catch((error) => {
    if (!(error instanceof ApiError) || error.problem.status !== 401) throw error;
    const { code, detail } = error.problem;
    throw new ApiError(invalidFields([{ pointer: "/token", code, detail } as FieldError]));
  });
}

/** Starts a session. A wrong token is an error of its field. */
export async function signIn(token: string): Promise<void> {
  await confirmSession(token);
  ended.value = false;
  credentials.session += 1;
  state.value = "signedIn";
}

/** Removes the cookie. While the server is unreachable, the session continues and an error is thrown. */
export async function signOut(): Promise<void> {
  await api.DELETE("/admin/session");
  clearDrafts();
  ended.value = false;
  state.value = "signedOut";
}
