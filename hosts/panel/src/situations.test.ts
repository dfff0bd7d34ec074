import { expect, test } from "vitest";
import { isFinal, isMoving, mark, phase, tone } from "./situations";

test.each([
  [100, "calm", 0],
  [200, "wait", 1],
  [210, "move", 2],
  [220, "move", 2],
  [300, "move", 3],
  [330, "move", 3],
  [400, "warn", 3],
  [410, "warn", 3],
  [500, "good", 4],
  [510, "warn", 4],
  [520, "bad", 4],
  [540, "warn", 4],
  [550, "warn", 4],
  [560, "bad", 4],
  [600, "calm", 4],
  [610, "bad", 4],
  [640, "bad", 4],
])("status %d is shown as %s, at step %d of the progress bar", (situation, colour, step) => {
  expect(tone(situation)).toBe(colour);
  expect(phase(situation)).toBe(step);
});

test("only delivered stops are green", () => {
  expect([330, 410, 500, 520, 600].map(mark)).toEqual(["stop", "stop", "done", "over", "over"]);
});

test("a courier moves from the search until the end", () => {
  expect([150, 200, 330, 410, 500, 600].filter(isMoving)).toEqual([200, 330, 410]);
  expect([150, 410, 500, 600].filter(isFinal)).toEqual([500, 600]);
});
