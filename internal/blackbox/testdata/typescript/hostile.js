/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
//
// *\/ pwned() /* <pwned> <\/script> `${pwned}`
// \@ts-ignore
// * \@ts-nocheck
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.__proto__.await(…)

const $service = {
  name: "*/ pwned() /* \u2039pwned\u203a \u003c/script> `${pwned}`\n@ts-ignore\n* @ts-nocheck",
  calls: {
    ["__proto__"]: {
      await: { route: "POST /__proto__/await", body: "json" },
      delete: { route: "DELETE /pw%7Bned/%2A$%27/{class}", headers: { header: "X-Pwned" } },
    },
    constructor: {
      constructor: { route: "POST /constructor", kind: "void" },
    },
  },
};

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options = {}) {
  return $build($service, options);
}

/** The values of each enum, and the alternatives of each union. */
export const values = {
  hostileEnum: ["*/ pwned", "`${pwned}`", "\"; pwned()", "\u003c/script>pwned", "\u2028pwned", "\u2039pwned\u203a", "\\"],
};

/** The rules of inputs as attributes of HTML: `Object.assign(element, rules.…)`. A field inside an object has a pointer as its name. */
export const rules = {
  Response_: {
    ["__proto__"]: { maxLength: 6 },
    constructor: { required: true },
    "\u003c/script>": { required: true, pattern: "^[*]/$" },
    await: { required: true },
  },
  Promise_: {
    class: { required: true },
  },
};

/** How large the file in an input may be. */
export const limits = {};

