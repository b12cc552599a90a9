// A client of the template that knows it by its OpenAPI document only: what the
// types say is what comes back.
//
//   node client.js URL
import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { components, paths } from "./dist/template-3.0.js";

type Todo = components["schemas"]["Todo"];

const baseUrl = process.argv[2];
assert(baseUrl, "usage: client.js URL");
const client = createClient<paths>({ baseUrl });

const created = await client.POST("/todos", { body: { title: "Buy milk" } });
assert.equal(created.response.status, 200);
assert(created.data);
const todo: Todo = created.data;
assert.equal(todo.title, "Buy milk");
assert.equal(todo.completed, false);
const id: string = todo.id;

const updated = await client.PUT("/todos/{id}", { params: { path: { id } }, body: { title: "Buy bread", completed: true } });
assert.equal(updated.data?.title, "Buy bread");

const page = await client.GET("/todos", { params: { query: { page: 1, per_page: 10 } } });
assert(page.data);
const titles: string[] = page.data.data.map((t) => t.title);
assert(titles.includes("Buy bread"));
const total: number = page.data.total;
assert(total >= 1);

const got = await client.GET("/todos/{id}", { params: { path: { id } } });
assert.equal(got.data?.completed, true);

// @ts-expect-error: title is required
const refused = await client.POST("/todos", { body: { description: "no title" } });
assert.equal(refused.response.status, 400);
assert(refused.error);
assert.equal(refused.error.error.code, "INVALID_ARGUMENT");
assert.equal(refused.error.error.details?.violations?.[0]?.path, "/title");

// @ts-expect-error: page is a number
const wrong = await client.GET("/todos", { params: { query: { page: "one" } } });
assert.equal(wrong.error?.error.details?.violations?.[0]?.in, "query");

const deleted = await client.DELETE("/todos/{id}", { params: { path: { id } } });
assert.equal(deleted.response.status, 204);
const gone = await client.GET("/todos/{id}", { params: { path: { id } } });
assert.equal(gone.response.status, 404);
assert.equal(gone.error?.error.code, "NOT_FOUND");

console.log("openapi-typescript: a client of the template, compiled with tsc --strict, made its round trip");
