// Sends and receives a photo with the client that hey-api makes.
import assert from "node:assert/strict";
import * as photos from "./dist/heyphotos/index.js";
import { client } from "./dist/heyphotos/client.gen.js";

client.setConfig({ baseUrl: process.argv[2] });
const photo = new Blob(["\x89PNG of a thing"], { type: "image/png" });
const set = await photos.photosSetPhoto({ path: { id: "8" }, body: photo });
assert.equal(set.data?.size, photo.size);
const got = await photos.photosGetPhoto({ path: { id: "8" }, parseAs: "blob" });
assert(got.data instanceof Blob);
assert.equal(await got.data.text(), await photo.text());
const missing = await photos.photosGetPhoto({ path: { id: "9" } });
assert.equal(missing.error?.error.code, "NOT_FOUND");
console.log("hey-api: a file made its round trip");
