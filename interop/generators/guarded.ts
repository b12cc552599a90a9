// Calls the kitchen sink behind tokens with the client that hey-api makes. By the
// document it knows which operations take one: a public one does, and needs none.
//
//   node dist/js/guarded.js URL
import assert from "node:assert/strict";
import * as hey from "./dist/heyguarded/index.js";
import { client } from "./dist/heyguarded/client.gen.js";

const sent: (string | null)[] = [];
client.interceptors.request.use((request) => {
  sent.push(request.headers.get("Authorization"));
  return request;
});

async function statuses() {
  const got = await Promise.all([
    hey.sinksCount(), // public
    hey.sinksEmpty(), // for callers
    hey.sinksList({ query: { required: "x", text: "ab", limit: 5, tag: ["a", "b"] } }), // for those who may read
    hey.sinksDelete({ path: { id: "7" } }), // for those who may write
  ]);
  return got.map(({ response }) => response?.status);
}

client.setConfig({ baseUrl: process.argv[2] });
assert.deepEqual(await statuses(), [200, 401, 401, 401]);
assert.deepEqual(sent.splice(0), [null, null, null, null]);
client.setConfig({ auth: () => "t" });
assert.deepEqual(await statuses(), [200, 200, 200, 403]);
assert.deepEqual(sent, ["Bearer t", "Bearer t", "Bearer t", "Bearer t"]);
console.log("ok: hey-api, behind tokens");
