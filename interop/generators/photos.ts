// Sends and receives a photo with the clients that hey-api, orval, openapi-generator and
// openapi-typescript make.
//
//   node dist/js/photos.js URL
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import * as hey from "./dist/heyphotos/index.js";
import { client } from "./dist/heyphotos/client.gen.js";
import { Configuration, DefaultApi, ResponseError } from "./dist/openapifetchphotos/index.js";
import * as orval from "./dist/orval/photos.js";
import type { paths } from "./dist/photos.js";

const url = process.argv[2]!;
const photo = new Blob(["\x89PNG of a thing"], { type: "image/png" });

async function check(name: string, size: number | undefined, got: Blob | undefined) {
  assert.equal(size, photo.size);
  assert.equal(await got?.text(), await photo.text());
  console.log(`${name}: a file made its round trip`);
}

async function callHey() {
  client.setConfig({ baseUrl: url });
  const set = await hey.photosSetPhoto({ path: { id: "8" }, body: photo });
  const got = await hey.photosGetPhoto({ path: { id: "8" }, parseAs: "blob" });
  assert(got.data instanceof Blob);
  await check("hey-api", set.data?.size, got.data);
  const missing = await hey.photosGetPhoto({ path: { id: "9" } });
  assert.equal(missing.error?.error.code, "NOT_FOUND");
}

async function callOrval() {
  const set = await orval.photosSetPhoto("18", photo);
  const got = await orval.photosGetPhoto("18");
  assert(set.status === 200 && got.status === 200);
  await check("orval", set.data.size, got.data);
}

async function callOpenAPI() {
  const api = new DefaultApi(new Configuration({ basePath: url }));
  const set = await api.photosSetPhoto({ id: "28", body: photo });
  await check("openapi-generator typescript-fetch", set.size, await api.photosGetPhoto({ id: "28" }));
  await assert.rejects(api.photosGetPhoto({ id: "29" }), (err) => err instanceof ResponseError && err.response.status === 404);
}

// openapi-typescript says that a file is a string, so its bytes are none.
async function callTypes() {
  const api = createClient<paths>({ baseUrl: url });
  const set = await api.PUT("/photos/{id}", {
    params: { path: { id: "38" } },
    body: photo as unknown as string,
    bodySerializer: (body) => body,
    headers: { "Content-Type": "image/png" },
  });
  const got = await api.GET("/photos/{id}", { params: { path: { id: "38" } }, parseAs: "blob" });
  await check("openapi-typescript", set.data?.size, got.data);
}

await callHey();
await callOrval();
await callOpenAPI();
await callTypes();
