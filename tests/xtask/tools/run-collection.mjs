// Sends a few requests of the Postman collection to a server: node run-collection.mjs COLLECTION URL KEY
import newman from "newman";

const [collection, baseUrl, apiKey] = process.argv.slice(2);
const NAMES = [
  "Calculate route, fee and times",
  "Create an order",
  "Get an order",
  "Mark an order as ready",
];

const summary = await new Promise((resolve, reject) => {
  const envVar = [
    { key: "baseUrl", value: baseUrl },
    { key: "apiKey", value: apiKey },
  ];
  newman.run({ collection, folder: NAMES, envVar, reporters: [] }, (error, result) =>
    error ? reject(error) : resolve(result),
  );
});
for (const { item, response } of summary.run.executions) {
  console.log(`  ${item.name}: ${response?.code}`);
  if (!(response?.code < 300)) process.exitCode = 1;
}
if (summary.run.executions.length !== NAMES.length || summary.run.failures.length > 0) {
  console.log(summary.run.failures.map(({ error }) => error.message));
  process.exitCode = 1;
}
