/** How the panel displays the wire's situation numbers. */

export type Tone = "calm" | "wait" | "move" | "good" | "warn" | "bad";

/** Returns the badge colour of a situation. */
export function tone(situation: number): Tone {
  if (situation === 500) return "good";
  if (
    situation === 510 ||
    situation === 540 ||
    situation === 550 ||
    situation === 400 ||
    situation === 410
  )
    return "warn";
  if ([520, 560, 610, 620, 630, 640].includes(situation)) return "bad";
  if (situation === 600) return "calm";
  if (situation === 200) return "wait";
  if (situation >= 210 && situation < 400) return "move";
  return "calm";
}

export const PREPARING = 110;
export const SEARCHING = 200;
/** From this situation on, the deliveries are over and the goods or a payment return. */
export const RETURNING = 400;
/** A cancelled stop is not on the route. */
export const CANCELLED = 600;

/** From this situation on, the courier has the goods and the order can no longer be cancelled. */
export const OUT_FOR_DELIVERY = 300;

export const isFinal = (situation: number): boolean => situation >= 500;

/** Returns the style of a stop in the list and on the map: only delivered stops are green. */
export function mark(situation: number): "stop" | "done" | "over" {
  if (situation === 500) return "done";
  return isFinal(situation) ? "over" : "stop";
}

/** Whether a courier may be moving. */
export const isMoving = (situation: number): boolean => situation >= 200 && situation < 500;

/** Returns the last completed step of an order's progress bar. */
export function phase(situation: number): number {
  if (situation >= 500) return 4;
  if (situation >= 300) return 3;
  if (situation >= 210) return 2;
  if (situation >= 200) return 1;
  return 0;
}
