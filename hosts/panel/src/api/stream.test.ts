// @vitest-environment happy-dom
import { expect, test } from "vitest";
import { createParser, type StreamedEvent } from "./stream";

/** Returns the events and the cursors of a stream that arrives in parts. */
function parse(...chunks: string[]): { events: StreamedEvent[]; ids: string[] } {
  const [events, ids]: [StreamedEvent[], string[]] = [[], []];
  const feed = createParser(
    (event) => events.push(event),
    (id) => ids.push(id),
  );
  for (const chunk of chunks) feed(chunk);
  return { events, ids };
}

test("an event has its ID, its type and all lines of its data", () => {
  const { events, ids } = parse("id: 7\nevent: order.created\ndata: {\ndata:  }\n\n");
  expect(events).toEqual([{ id: "7", type: "order.created", data: "{\n }" }]);
  expect(ids).toEqual(["7"]);
});

test("the parts of a stream can end anywhere", () => {
  const text =
    "id: 7\r\nevent: order.created\r\ndata: a\r\ndata: b\r\n\r\nid: 8\r\ndata: c\r\n\r\n";
  const whole = parse(text);
  expect(whole.events.map((event) => event.data)).toEqual(["a\nb", "c"]);
  for (let at = 1; at < text.length; at += 1)
    expect(parse(text.slice(0, at), text.slice(at)), `cut at ${at}`).toEqual(whole);
});

test("comments and unknown fields are no events, and a missing type is `message`", () => {
  expect(parse(": keep-alive\n\nretry: 10\n\n").events).toEqual([]);
  expect(parse("event: order.created\n\ndata: x\n\n").events).toEqual([
    { id: "", type: "message", data: "x" },
  ]);
});

test("the ID stays for the events after it, and an event that is not complete is not emitted", () => {
  const { events } = parse("id: 7\ndata: a\n\ndata: b\n\ndata: c\n");
  expect(events.map(({ id, data }) => [id, data])).toEqual([
    ["7", "a"],
    ["7", "b"],
  ]);
});
