// Sends forms, with a file and without, with the clients that hey-api, orval, openapi-generator and
// openapi-typescript make.
//
//   node dist/js/forms.js URL
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import * as hey from "./dist/heyforms/index.js";
import { client } from "./dist/heyforms/client.gen.js";
import { Configuration, DefaultApi } from "./dist/openapifetchforms/index.js";
import * as orval from "./dist/orval/forms.js";
import type { paths } from "./dist/forms.js";

const url = process.argv[2]!;
const order = { title: "Käse & Brot", tags: ["a b", "c=d"], count: 3, gift: true };
const file = new File(["one\r\n--two"], "ä.txt", { type: "text/plain" });

function check(name: string, ordered: unknown, attached: unknown) {
  assert.deepEqual(ordered, { ...order, file: "" }, name);
  assert.deepEqual(attached, { title: "t", tags: [], count: 0, gift: false, file: "one\r\n--two" }, name);
  console.log(`${name}: forms were read`);
}

client.setConfig({ baseUrl: url });
check("hey-api", (await hey.formsOrder({ body: order })).data, (await hey.formsAttach({ body: { title: "t", file } })).data);

check("orval", (await orval.formsOrder(order)).data, (await orval.formsAttach({ title: "t", file })).data);

const api = new DefaultApi(new Configuration({ basePath: url }));
check("openapi-generator typescript-fetch", await api.formsOrder(order), await api.formsAttach({ title: "t", file }));

// openapi-fetch writes no forms: a function of the caller does.
const typed = createClient<paths>({ baseUrl: url });
const form = (body: Record<string, unknown>) => {
  const f = new FormData();
  for (const [name, value] of Object.entries(body)) for (const v of Array.isArray(value) ? value : [value]) f.append(name, v instanceof Blob ? v : String(v));
  return f;
};
const ordered = await typed.POST("/forms/order", { body: order, bodySerializer: form });
const attached = await typed.POST("/forms/attach", { body: { title: "t", file: file as unknown as string }, bodySerializer: form });
check("openapi-typescript", ordered.data, attached.data);
