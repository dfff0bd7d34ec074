"use strict";
(() => {
  const parts = ["live", "pay", "actions", "contact", "note"];
  const page = location.pathname;
  let last = null,
    stream = null,
    openedAt = 0,
    timer = 0;

  // A part in which the recipient has written or chosen something stays as it is.
  const inUse = (part) =>
    (part.contains(document.activeElement) && !document.activeElement.closest(".pix")) ||
    [...part.querySelectorAll("textarea:not([readonly]), input:checked")].some(
      (field) => field.value,
    );

  // The code to pay keeps its focus and its label until it changes or is no longer due.
  const code = (part) => part.querySelector("[data-copy]")?.dataset.copy;

  const refresh = async () => {
    let response, html;
    try {
      response = await fetch(page, { headers: { accept: "text/html" }, cache: "no-store" });
      html = await response.text();
    } catch {
      // The connection was lost, before the response or within it.
      return;
    }
    if (response.status === 404) return location.reload();
    if (!response.ok) return;
    const next = new DOMParser().parseFromString(html, "text/html");
    document.title = next.title;
    for (const id of parts) {
      const [before, after] = [document.getElementById(id), next.getElementById(id)];
      if (!before || !after || before.innerHTML === after.innerHTML || inUse(before)) continue;
      if (code(before) && code(before) === code(after)) continue;
      before.className = after.className;
      before.replaceChildren(...after.childNodes);
    }
  };

  const poll = () => {
    clearInterval(timer);
    timer = setInterval(() => void (document.hidden || refresh()), 10000);
  };

  // A host that cannot hold the stream open ends it at once. The page then polls.
  const listen = () => {
    if (stream) stream.close();
    clearInterval(timer);
    openedAt = Date.now();
    stream = new EventSource(`${page}/events`);
    stream.onopen = () => {
      openedAt = Date.now();
    };
    // The delivery can change between the page and the first event.
    stream.addEventListener("status", (event) => {
      if (last !== event.data) void refresh();
      last = event.data;
    });
    stream.onerror = () => {
      if (stream.readyState === EventSource.CLOSED || Date.now() - openedAt < 10000) {
        stream.close();
        poll();
      }
    };
  };

  // Without the script, the code is selected by hand.
  document.documentElement.classList.add("js");
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
    } catch {
      // A page without https has no clipboard.
      const field = document.querySelector(".brcode");
      field.focus();
      field.select();
      document.execCommand("copy");
    }
    button.textContent = button.dataset.done;
  });

  document.addEventListener("visibilitychange", () => {
    if (document.hidden) return stream.close();
    void refresh();
    listen();
  });
  listen();
})();
