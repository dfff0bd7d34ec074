// @vitest-environment happy-dom
import { render } from "preact";
import { expect, test } from "vitest";
import type { StatementLine } from "../api/wire";
import { STATEMENT_PAGE, type Statement, StatementLines, readStatement } from "./statement";

/** An endpoint with this many lines, in pages. */
function endpoint(total: number) {
  return async (cursor?: string) => {
    const first = Number(cursor ?? 0);
    const next = Math.min(first + STATEMENT_PAGE, total);
    const line = (_: unknown, at: number): StatementLine => ({
      id: first + at + 1,
      type: "fee",
      amount: -7.9,
      balance: 100,
      storeId: 1,
      reference: null,
      orderId: null,
      createdAt: "2026-11-30T20:00:00.000Z",
    });
    return {
      lines: Array.from({ length: next - first }, line),
      nextCursor: next < total ? String(next) : null,
    };
  };
}

function hintOf(of: Statement): string | undefined {
  const box = document.createElement("div");
  render(<StatementLines of={of} />, box);
  return box.querySelector(".hint")?.textContent;
}

test("a statement is read to its end, newest line first", async () => {
  const { lines, more } = await readStatement(endpoint(250));
  expect([lines.length, lines[0]?.id, more]).toEqual([250, 250, false]);
});

test("a statement that is cut says so", async () => {
  const whole = await readStatement(endpoint(2_000));
  expect([whole.lines.length, whole.more]).toEqual([2_000, false]);
  const cut = await readStatement(endpoint(2_001));
  expect([cut.lines.length, cut.more]).toEqual([2_000, true]);
  const lines = cut.lines.slice(0, 2);
  expect(hintOf({ lines, more: false })).toBeUndefined();
  expect(hintOf({ lines, more: true })).toContain("first 2 entries");
});
