// Converts core/openapi.json to a Postman collection (v2.1): node postman.mjs DOCUMENT COLLECTION
import { readFileSync, writeFileSync } from "node:fs";
import converter from "openapi-to-postmanv2";

const [source, target] = process.argv.slice(2);
const document = JSON.parse(readFileSync(source, "utf8"));
const options = {
  folderStrategy: "Tags",
  parametersResolution: "Example",
  // Headers and query parameters that are not required are present but disabled.
  enableOptionalParameters: false,
  alwaysInheritAuthentication: true,
};

const converted = await new Promise((resolve, reject) => {
  converter.convertV2({ type: "json", data: document }, options, (error, result) =>
    error ? reject(error) : resolve(result),
  );
});
if (!converted.result) throw new Error(converted.reason);
const collection = converted.output[0].data;

const tokenFor = (path) =>
  path[0] === "admin" ? "operatorToken" : path[0] === "courier" ? "courierKey" : "apiKey";
const auth = (variable) => ({
  type: "apikey",
  apikey: [
    { key: "key", value: "x-api-token" },
    { key: "value", value: `{{${variable}}}` },
    { key: "in", value: "header" },
  ],
});

/** Prepares a request: the token of its role, and IDs as variables. Only successful responses remain as examples, or the file has 11 MB. */
function prepare(item) {
  item.item?.forEach(prepare);
  if (item.request === undefined) return;
  const { url } = item.request;
  const variable = tokenFor(url.path);
  if (variable === "apiKey") delete item.request.auth;
  else item.request.auth = auth(variable);
  for (const one of url.variable ?? []) one.value = `{{${one.key}}}`;
  item.response = item.response.filter(({ code }) => code < 300);
  for (const response of item.response) delete response.originalRequest.auth;
}

/** Stores an ID of a response for later requests. */
function storeId(name, variable) {
  const item = collection.item.flatMap((folder) => folder.item).find((one) => one.name === name);
  const exec = [
    `if (pm.response.code < 300) pm.collectionVariables.set("${variable}", pm.response.json().id);`,
  ];
  item.event = [{ listen: "test", script: { type: "text/javascript", exec } }];
}

collection.item.forEach(prepare);
storeId("Create an order", "platformOrderId");
storeId("Subscribe to events", "webhookId");
collection.auth = auth("apiKey");
const ids = new Set(JSON.stringify(collection.item).match(/(?<=\{\{)\w+(?=\}\})/g));
const values = { baseUrl: "http://127.0.0.1:8080", apiKey: "", operatorToken: "", courierKey: "" };
collection.variable = [...new Set([...Object.keys(values), ...ids])].map((key) => ({
  key,
  value: values[key] ?? "",
  type: "string",
}));
writeFileSync(target, `${JSON.stringify(collection, null, 1)}\n`);
