// Calls the kitchen sink with the TypeScript clients that orval, hey-api and
// openapi-generator made of its document.
//
//   node clients.js URL
import assert from "node:assert/strict";
import * as orval from "./dist/orval/sink.js";
import * as hey from "./dist/hey/index.js";
import { client } from "./dist/hey/client.gen.js";
import * as openapi from "./dist/openapifetch/index.js";
import { Configuration, DefaultApi, ResponseError } from "./dist/openapifetch/index.js";

const url = process.argv[2];
assert(url, "usage: clients.js URL");

// What all of them send. Numbers in JavaScript have 53 bits.
const numbers = {
  int: 2147483647, int8: -128, int16: 32767, int32: -2147483648, int64: Number.MIN_SAFE_INTEGER,
  uint: 1, uint8: 255, uint16: 65535, uint32: 4294967295, uint64: Number.MAX_SAFE_INTEGER,
  float32: 1.5, float64: 0.1, number: 2.5, bool: true,
};
const location = "/sinks/65536";
const change = { name: "saw", inner: { id: 3 }, tags: ["t"] };
const changed = { id: "a1", force: false, ...change };
const tree = { value: 1, right: { value: 2, right: null } };

const cookies = { Cookie: "session=a1; page=2" }; // which browsers send, and these clients do not

function checkSifted(headers: Headers, note: string | undefined) {
  assert.deepEqual([headers.get("X-Region"), headers.get("X-Level"), headers.get("X-Ratio"), note], ["north", "-5", "0.5", "n"]);
}

// A union of every alternative, wherever an object can be. choices.json has it for the others.
const choices: hey.Choices = {
  one: { type: "text", id: 1, value: "a", color: "red" },
  list: [
    { type: "number", id: 2, value: 2.5, exact: false },
    { type: "nested", id: 3, inner: { id: 30 }, parts: [{ type: "none", id: 4 }, { type: "text", id: 5, value: "b" }] },
    { type: "none", id: 6 },
  ],
  byName: { x: { type: "nested", id: 7, inner: { id: 70 }, parts: [] } },
};

// Unions by JSON type.
const letter = {
  prose: "hi", needed: [{ id: 1, name: "a" }], other: "o", more: ["a", [{ id: 2, name: "n" }]], byName: { x: [{ id: 3, name: "b" }] }, hue: "red",
} satisfies hey.Letter;

// said compiles only if a look at its JSON type says what a union is.
const said = (p: orval.Prose | hey.Prose) => (typeof p === "string" ? p : p.map((part) => part.name).join());

// weigh compiles only if a look at the type says which alternative a union is, with its
// members and no others, and if there is no fifth one.
function weigh(c: orval.Choice | hey.Choice | openapi.Choice): number {
  switch (c.type) {
    case "text":
      return c.value.length;
    case "number":
      return c.exact ? 0 : c.value * 2;
    case "nested":
      return c.parts.map(weigh).reduce((a, b) => a + b, c.inner.id);
    case "none":
      // @ts-expect-error: this alternative has no value
      return c.value === undefined ? 1 : 0;
  }
}

function weighAll(c: orval.Choices | hey.Choices | openapi.Choices | undefined) {
  assert(c?.list && c.byName);
  assert.deepEqual([c.one, ...c.list, c.byName["x"]!].map(weigh), [1, 5, 32, 1, 70]);
}

function finish(name: string) {
  console.log(`${name}: create, get, list, update, delete, headers, null and unions made their round trip`);
}

async function callOrval() {
  const created = await orval.sinksCreate(numbers);
  assert(created.status === 201);
  assert.deepEqual(created.data, numbers);
  assert.equal(created.headers.get("Location"), location);
  const got = await orval.sinksGet("7");
  assert(got.status === 200);
  assert.equal(got.data.id, 7);
  const missing = await orval.sinksGet("0");
  assert(missing.status === 404);
  assert.equal(missing.data.error.code, "NOT_FOUND");
  const page = await orval.sinksList({ required: "x", text: "ab", limit: 5, tag: ["a"] });
  assert(page.status === 200);
  assert.deepEqual(page.data.data, [{ id: 5, name: "ab" }]);
  const updated = await orval.sinksUpdate("a1", change);
  assert(updated.status === 200);
  assert.deepEqual(updated.data, changed);
  const deleted = await orval.sinksDelete("7");
  assert.equal(deleted.status, 204);
  const echo = await orval.sinksEchoTree(tree);
  assert(echo.status === 200);
  const right: orval.Tree | null = echo.data.right;
  assert.equal(right?.value, 2);
  assert.equal(right?.right, null);
  const sifted = await orval.sinksSift({ note: "n" }, { headers: { ...cookies, "X-Region": "north", "X-Level": "-5", "X-Ratio": "0.5" } });
  assert(sifted.status === 200);
  checkSifted(sifted.headers, sifted.data.note);
  const chosen = await orval.sinksEchoChoices(choices);
  assert(chosen.status === 200);
  weighAll(chosen.data);
  const echoed = await orval.sinksEchoLetter(letter);
  assert(echoed.status === 200);
  assert.deepEqual(echoed.data, letter);
  assert.deepEqual(echoed.data.more?.map(said), ["a", "n"]);
  const answer = await orval.sinksAnswer({ text: "a b" });
  assert(answer.status === 200 && "count" in answer.data); // else it is a Word, by its type
  assert.equal(answer.data.count, 2);
  finish("orval");
}

async function callHey() {
  client.setConfig({ baseUrl: url });
  const created = await hey.sinksCreate({ body: numbers });
  assert.deepEqual(created.data, numbers);
  assert.equal(created.response?.status, 201);
  assert.equal(created.response?.headers.get("Location"), location);
  // @ts-expect-error: the name is required
  const refused = await hey.sinksUpdate({ path: { id: "a1" }, body: {} });
  assert.equal(refused.error?.error.code, "INVALID_ARGUMENT");
  const got = await hey.sinksGet({ path: { id: "7" } });
  assert.equal(got.data?.id, 7);
  const missing = await hey.sinksGet({ path: { id: "0" } });
  assert.equal(missing.response?.status, 404);
  assert.equal(missing.error?.error.code, "NOT_FOUND");
  const page = await hey.sinksList({ query: { required: "x", text: "ab", limit: 5, tag: ["a", "b"] } });
  assert.deepEqual(page.data?.data, [{ id: 5, name: "ab" }]);
  const updated = await hey.sinksUpdate({ path: { id: "a1" }, body: change });
  assert.deepEqual(updated.data, changed);
  const deleted = await hey.sinksDelete({ path: { id: "7" } });
  assert.equal(deleted.response?.status, 204);
  const echo = await hey.sinksEchoTree({ body: tree });
  const right: hey.Tree | null | undefined = echo.data?.right;
  assert.equal(right?.value, 2);
  assert.equal(right?.right, null);
  client.setConfig({ headers: cookies });
  // @ts-expect-error: the level is required
  const levelless = await hey.sinksSift({ headers: { "X-Region": "north" }, body: {} });
  assert.equal(levelless.error?.error.details?.violations?.[0]?.in, "header");
  const sifted = await hey.sinksSift({ headers: { "X-Region": "north", "X-Level": -5, "X-Ratio": 0.5, "X-Since": "2026-01-02T12:00:00Z", "X-Sort": "desc" }, body: { note: "n" } });
  assert(sifted.response);
  checkSifted(sifted.response.headers, sifted.data?.note);
  weighAll((await hey.sinksEchoChoices({ body: choices })).data);
  // @ts-expect-error: a number has no text
  const mixed = await hey.sinksEchoChoices({ body: { one: { type: "number", id: 1, value: "a" } } });
  assert.equal(mixed.error?.error.details?.violations?.[0]?.path, "/one/value");
  const echoed = await hey.sinksEchoLetter({ body: letter });
  assert.deepEqual(echoed.data, letter);
  assert.deepEqual(echoed.data?.more?.map(said), ["a", "n"]);
  // @ts-expect-error: a boolean is none of the alternatives
  const none = await hey.sinksEchoLetter({ body: { prose: true, needed: null } });
  assert.equal(none.error?.error.details?.violations?.[0]?.path, "/prose");
  assert.equal((await hey.sinksAnswer({ body: { text: "a b" } })).data?.count, 2);
  const { stream } = await hey.sinksWatchChoices({ body: choices });
  const items = [];
  for await (const item of stream) items.push(item);
  assert.deepEqual(items.slice(0, 3).map(weigh), [5, 32, 1]); // and the data of done, as it takes no note of the name of an event
  finish("hey-api");
}

async function callOpenAPIGenerator() {
  const api = new DefaultApi(new Configuration({ basePath: url, headers: cookies }));
  const { int: _int, ...others } = numbers; // the generator keeps clear of names of types
  const renamed = { _int, ...others };
  const created = await api.sinksCreateRaw({ numbers: renamed });
  assert.equal(created.raw.status, 201);
  assert.equal(created.raw.headers.get("Location"), location);
  assert.deepEqual(await created.value(), renamed);
  assert.equal((await api.sinksGet({ id: "7" })).id, 7);
  await assert.rejects(api.sinksGet({ id: "0" }), (err) => err instanceof ResponseError && err.response.status === 404);
  const page = await api.sinksList({ required: "x", text: "ab", limit: 5, tag: ["a", "b"] });
  assert.equal(page.data[0]?.id, 5);
  const updated = await api.sinksUpdate({ id: "a1", updateBody: change });
  assert.equal(updated.id, "a1");
  assert.equal(updated.inner?.id, 3);
  await api.sinksDelete({ id: "7" });
  const echo = await api.sinksEchoTree({ tree });
  assert.equal(echo.right?.value, 2);
  assert.equal(echo.right?.right, null);
  const sifted = await api.sinksSiftRaw({ xRegion: "north", xLevel: -5, xRatio: 0.5, xOn: true, session: "a1", page: 2, siftBody: { note: "n" } });
  checkSifted(sifted.raw.headers, (await sifted.value()).note);
  weighAll(await api.sinksEchoChoices({ choices }));
  const asked = { ...letter, hue: { id: 4, name: "c" } }; // since its type has no text there
  assert.deepEqual(await api.sinksEchoLetter({ letter: asked }), asked);
  assert.equal((await api.sinksAnswer({ question: { text: "a b" } })).count, 2);
  finish("openapi-generator typescript-fetch");
}

await callOrval();
await callHey();
await callOpenAPIGenerator();
