// Appended to the JavaScript of bindings/RECIPES.md: uses each function, and prints the results as JSON.
import { readFileSync } from "node:fs";

const { order, invalid, key, secret, messages } = JSON.parse(readFileSync("input.json", "utf8"));
const [first, again] = [await createOrder(order), await createOrder(order)];
const rejected = await createOrder(invalid).catch((error) => [
  error.status,
  error.code,
  error.errors.length,
]);
const delayed = [await delayOrder(first.id, 7, key), await delayOrder(first.id, 7, key)];
const listed = [];
for await (const one of orders(2)) listed.push(one.id);
const [types, positions] = [[], []];
await readEvents(
  "0",
  (event) => types.push(event.type),
  (position) => positions.push(position),
  2,
);
const statuses = [];
for (const { headers, body } of messages)
  statuses.push(await receive(secret, headers, Buffer.from(body, "base64")));
console.log(
  JSON.stringify({
    created: [first.id, again.id],
    rejected,
    delayed,
    listed,
    types,
    position: positions.at(-1),
    statuses,
  }),
);
