/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
//
// A list of things to do.
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.todos.all(…)

const $service = {
  name: "Todos",
  calls: {
    todos: {
      all: { route: "GET /todos/all" },
      count: { route: "POST /todos/{id}/count", headers: { xCount_: "X-Count" }, body: "json", out: { xCount_: "X-Count" }, parsed: ["xCount_"] },
      create: { route: "POST /todos", headers: { account: "X-Account" }, body: "json", out: { eTag: "ETag" }, keyed: true, floats: ["lat"] },
      delete: { route: "DELETE /todos/{id}", kind: "void" },
      feed: { route: "GET /todos/feed", query: ["cursor", "limit"], kind: "cursor" },
      get: { route: "GET /todos/{id}", taken: { id: "/todos/all|/todos/feed|/todos/watch" }, out: { eTag: "ETag" }, public: true },
      list: { route: "GET /todos", query: ["page", "per_page", ["tags", "tag"]], kind: "page" },
      search: { route: "QUERY /todos/search", query: ["cursor", "limit"], body: "json", kind: "cursor" },
      update: { route: "PUT /todos/{id}", headers: { match: "If-Match" }, body: "json", out: { eTag: "ETag" } },
      watch: { route: "GET /todos/watch", headers: { after: "Last-Event-ID" }, kind: "stream", ids: "all" },
    },
    "todo-photos": {
      getPhoto: { route: "GET /todos/{id}/photo", kind: "file" },
      setPhoto: { route: "PUT /todos/{id}/photo", file: "photo", types: ["image/png", "image/jpeg"], kind: "void" },
    },
  },
  apiKey: { header: "X-Api-Key" },
  form: true,
};

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options = {}) {
  return $build($service, options);
}

/** The values of each enum, and the alternatives of each union. */
export const values = {};

/** The rules of inputs as attributes of HTML: `Object.assign(element, rules.…)`. A field inside an object has a pointer as its name. */
export const rules = {
  clientClashInput: {
    id: { required: true },
  },
  clientCreate: {
    title: { required: true, minLength: 1, maxLength: 400 },
    "/place/city": { maxLength: 18 },
    "/place/lat": { required: true, min: -90, max: 90, step: "any" },
  },
  clientID: {
    id: { required: true, min: 1 },
  },
  clientFeed: {
    limit: { min: 1 },
  },
  clientPage: {
    page: { min: 1 },
    per_page: { min: 1 },
  },
  clientSearch: {
    limit: { min: 1 },
  },
  clientUpload: {
    id: { required: true },
    photo: { accept: "image/png,image/jpeg" },
  },
  clientUpdate: {
    id: { required: true },
  },
};

/** How large the file in an input may be. */
export const limits = {
  clientUpload: { photo: { maxBytes: 10485760 } },
};

