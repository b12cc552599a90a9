/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
//
// Every kind, every tag, every route.
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.sinks.answer(…)

const $service = {
  name: "Both",
  calls: {
    sinks: {
      answer: { route: "POST /sinks/answer", body: "json", kind: "either" },
      archive: { route: "POST /sinks/archive", kind: "void" },
      count: { route: "POST /sinks/count" },
      create: { route: "POST /sinks", body: "json", out: { location: "Location" }, floats: ["float32", "float64", "number"] },
      delete: { route: "DELETE /sinks/{id}", kind: "void" },
      echoBounds: { route: "POST /sinks/echo_bounds", body: "json" },
      echoChoice: { route: "POST /sinks/echo_choice", body: "json", floats: ["value"] },
      echoChoices: { route: "POST /sinks/echo_choices", body: "json", floats: ["value"] },
      echoEnums: { route: "POST /sinks/echo_enums", body: "json" },
      echoFlat: { route: "POST /sinks/echo_flat", body: "json" },
      echoFloats: { route: "POST /sinks/echo_floats", body: "json", floats: ["between", "inside", "tenth", "quarter", "oneOf", "both", "unique"] },
      echoFree: { route: "POST /sinks/echo_free", body: "json", floats: ["any", "raw", "money", "opaque", "maybe", "moneys"] },
      echoLetter: { route: "POST /sinks/echo_letter", body: "json" },
      echoLists: { route: "POST /sinks/echo_lists", body: "json" },
      echoMaps: { route: "POST /sinks/echo_maps", body: "json", floats: ["byColour", "anything"] },
      echoOptional: { route: "POST /sinks/echo_optional", body: "json", floats: ["any"] },
      echoQuoted: { route: "POST /sinks/echo_quoted", body: "json" },
      echoTexts: { route: "POST /sinks/echo_texts", body: "json" },
      echoTree: { route: "POST /sinks/echo_tree", body: "json" },
      empty: { route: "POST /sinks/empty", kind: "void" },
      follow: { route: "GET /sinks/{id}/follow", kind: "event" },
      forget: { route: "POST /sinks/forget", body: "json", kind: "void" },
      get: { route: "GET /sinks/{id}", taken: { id: "/sinks/made|/sinks/pages|/sinks/seek|/sinks/watch" } },
      list: { route: "GET /sinks", query: ["text", "required", "limit", "tiny", "unsigned", "ratio", "number", "on", "since", "within", "blob", "from", ["tags", "tag"], "sizes", "shade", "depths", "words", "sort", "quoted"], floats: ["ratio", "number"] },
      made: { route: "GET /sinks/made", out: { etag: "ETag", location: "Location", at: "Last-Modified", count: "X-Count", ratio: "X-Ratio", done: "X-Done", wait: "X-Wait" }, parsed: ["count", "ratio", "done"] },
      make: { route: "POST /sinks/make", body: "json", out: { etag: "ETag", location: "Location", at: "Last-Modified", count: "X-Count", ratio: "X-Ratio", done: "X-Done", wait: "X-Wait" }, parsed: ["count", "ratio", "done"] },
      move: { route: "POST /shelves/{shelf}/{row}/sinks/{ratio}/{wet}/{at}/{for}/{size}/{address}/{digits}", body: "json", floats: ["ratio"] },
      pages: { route: "GET /sinks/pages", query: ["page", "per_page", "limit", "cursor", "name"], kind: "page" },
      patch: { route: "PATCH /sinks/{id}", body: "json" },
      relabel: { route: "PATCH /sinks/{id}/labels", query: ["dry"], body: "json", whole: "labels" },
      rename: { route: "PUT /sinks/{id}/name", body: "json", whole: "name" },
      seek: { route: "GET /sinks/seek", headers: { tenant: "X-Tenant", trace: "X-Trace" } },
      sift: { route: "POST /sinks/sift", headers: { region: "X-Region", remark: "X-Remark", level: "X-Level", on: "X-On", wide: "X-Wide", ratio: "X-Ratio", number: "X-Number", since: "X-Since", wait: "X-Wait", blob: "X-Blob", from: "X-From", sort: "X-Sort" }, body: "json", out: { region: "X-Region", level: "X-Level", wide: "X-Wide", ratio: "X-Ratio" }, parsed: ["level", "wide", "ratio"], floats: ["ratio", "share", "number"] },
      unlabel: { route: "DELETE /sinks/{id}/labels", query: ["force"], body: "json" },
      update: { route: "PUT /sinks/{id}", query: ["force"], body: "json" },
      watch: { route: "GET /sinks/watch", headers: { after: "Last-Event-ID" }, kind: "stream", ids: "some" },
      watchChoices: { route: "POST /sinks/watch_choices", body: "json", kind: "stream", floats: ["value"] },
    },
    tools: {
      readTool: { route: "GET /tools/first", out: { eTag: "ETag" } },
      replaceTool: { route: "PUT /tools/{name}", headers: { ifMatch: "If-Match" }, body: "json", out: { eTag: "ETag" } },
    },
    seconds: {
      create: { route: "POST /v2/sinks", body: "json" },
      get: { route: "GET /v2/sinks/{id}", public: true },
    },
  },
};

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options = {}) {
  return $build($service, options);
}

/** The values of each enum, and the alternatives of each union. */
export const values = {
  Choice: ["text", "number", "nested", "none"],
  Shade: ["red", "green", "blue"],
  Depth: [1, 2, 300],
};

/** The rules of inputs as attributes of HTML: `Object.assign(element, rules.…)`. A field inside an object has a pointer as its name. */
export const rules = {
  Question: {
    text: { required: true, minLength: 1, maxLength: 80 },
  },
  Numbers: {
    int: { required: true },
    int8: { required: true },
    int16: { required: true },
    int32: { required: true },
    int64: { required: true },
    uint: { required: true },
    uint8: { required: true },
    uint16: { required: true },
    uint32: { required: true },
    uint64: { required: true },
    float32: { required: true, step: "any" },
    float64: { required: true, step: "any" },
    number: { required: true },
  },
  ByID: {
    id: { required: true },
  },
  Bounds: {
    between: { required: true, min: -10, max: 10 },
    inside: { required: true, min: -9, max: 9 },
    both: { required: true, min: 1, max: 5 },
    unsigned: { required: true, min: 1 },
    large: { required: true, min: 1, max: "18446744073709551615" },
    small: { required: true, max: 100 },
    seventh: { required: true, step: 7 },
    even: { required: true, step: 2 },
    oneOf: { required: true },
    title: { minLength: 1, maxLength: 10 },
    code: { required: true, pattern: "^[A-Z]{2}-[0-9]+$" },
    mail: { required: true },
    when: { required: true, minLength: 2 },
    perhaps: { max: 9 },
    port: { required: true, max: 65535 },
    wide: { required: true },
  },
  ChoiceOrNull: {
    "/needed/id": { min: 0 },
    "/needed/inner/id": { min: 1 },
    "/needed/inner/name": { maxLength: 16 },
    "/other/id": { min: 0 },
    "/other/inner/id": { min: 1 },
    "/other/inner/name": { maxLength: 16 },
    "/maybe/id": { min: 0 },
    "/maybe/inner/id": { min: 1 },
    "/maybe/inner/name": { maxLength: 16 },
  },
  Choices: {
    "/one/id": { min: 0 },
    "/one/inner/id": { min: 1 },
    "/one/inner/name": { maxLength: 16 },
  },
  Enums: {
    warm: { required: true },
    depth: { required: true },
    maybe: { required: true },
  },
  Flat: {
    id: { required: true, min: 1 },
    name: { maxLength: 16 },
    note: { maxLength: 6 },
  },
  Floats: {
    between: { required: true, min: -1.5, max: 2.5e1, step: "any" },
    inside: { required: true, min: 0, max: 1, step: "any" },
    tenth: { required: true, step: 0.1 },
    quarter: { required: true, step: 0.25 },
    oneOf: { required: true, step: "any" },
    both: { required: true, min: 0, step: "any" },
  },
  Optional: {
    empty: { minLength: 2 },
    zero: { min: 5 },
    pointer: { required: true },
    "/object/id": { required: true, min: 1 },
    "/object/name": { maxLength: 16 },
    "/perhaps/id": { min: 1 },
    "/perhaps/name": { maxLength: 16 },
    "/inner/id": { min: 1 },
    "/inner/name": { maxLength: 16 },
    word: { minLength: 2 },
    number: { min: 1 },
    "/thing/id": { min: 1 },
    "/thing/name": { maxLength: 16 },
  },
  Quoted: {
    int8: { required: true },
    int: { required: true },
    uint8: { required: true },
    uint64: { required: true },
    float: { required: true },
    pointer: { required: true },
  },
  Texts: {
    time: { required: true },
    duration: { required: true },
    uuid: { required: true },
  },
  Tree: {
    value: { required: true },
    "/right/value": { required: true },
  },
  Inner: {
    id: { required: true, min: 1 },
    name: { maxLength: 16 },
  },
  Query: {
    text: { maxLength: 8 },
    limit: { min: 1, max: 100 },
    ratio: { step: "any" },
  },
  Move: {
    row: { required: true },
    shelf: { required: true },
    ratio: { required: true, step: "any" },
    wet: { required: true },
    at: { required: true },
    for: { required: true },
    size: { required: true, min: 1, max: 300 },
    address: { required: true },
    digits: { required: true },
  },
  Pages_: {
    page: { min: 1 },
    per_page: { min: 1 },
    limit: { min: 1 },
  },
  Change: {
    id: { required: true, pattern: "^[a-z0-9]+$" },
    name: { minLength: 1 },
    "/inner/id": { min: 1 },
    "/inner/name": { maxLength: 16 },
  },
  Relabel: {
    id: { required: true, min: 1 },
  },
  Rename: {
    id: { required: true, min: 1 },
    name: { maxLength: 16 },
  },
  NewTool: {
    name: { required: true },
  },
  Seek: {
    tenant: { pattern: "^[a-z]+$" },
    trace: { min: 1 },
  },
  Sift: {
    region: { required: true, minLength: 2, maxLength: 16, pattern: "^[ -~]*$" },
    remark: { maxLength: 24 },
    level: { required: true, min: -5, max: 5 },
    ratio: { min: 0, max: 1, step: "any" },
    note: { maxLength: 10 },
  },
  Unlabel: {
    id: { required: true, min: 1 },
  },
  Update: {
    id: { required: true, pattern: "^[a-z0-9]+$" },
    name: { required: true, minLength: 1 },
    "/inner/id": { min: 1 },
    "/inner/name": { maxLength: 16 },
  },
  Watch: {
    after: { min: 1 },
  },
  InnerStrict: {
    id: { required: true, min: 1 },
    name: { maxLength: 16 },
  },
  ByIDStrict: {
    id: { required: true },
  },
};

/** How large the file in an input may be. */
export const limits = {};

