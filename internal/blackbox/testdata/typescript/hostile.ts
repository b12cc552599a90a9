/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
// For TypeScript 5.7 and newer.
//
// *\/ pwned() /* <pwned> <\/script> `${pwned}`
// \@ts-ignore
// * \@ts-nocheck
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.__proto__.await(…)

export interface Response_ {
  /** Must have at most 3 characters. */
  __proto__: string;
  constructor: "*/ pwned" | "${pwned}" | "\u003c/script>" | "'pwned";
  /** Default: "*\/ pwned". Always there in outputs. Example: "${pwned}". */
  "*/ pwned()"?: string | undefined;
  /** *\/ pwned() <\/script> @ts-ignore: *\/ pwned */
  "\u003c/script>": string;
  /** '"; pwned() // */
  delete: string;
  "a/b~c": Record<string, string>;
  await: hostileEnum;
}

/**
 * - *\/ pwned: *\/ pwned
 * - "`${pwned}`": @ts-ignore
 * - "; pwned(): <pwned>
 * - <\/script>pwned: <\/script>
 * - "\u2028pwned": a
 *   b
 * - <pwned>: c
 * - \: d
 */
export type hostileEnum = "*/ pwned" | "`${pwned}`" | "\"; pwned()" | "\u003c/script>pwned" | "\u2028pwned" | "\u2039pwned\u203a" | "\\";

export interface Promise_ {
  class: string;
  header?: string | undefined;
}

/** The calls of the service, by resource. */
export interface Api {
  __proto__: {
    await: Call<Response_, Response_>;
    /**
     * *\/ pwned() /* <pwned> <\/script> `${pwned}`
     * \@ts-ignore
     * * \@ts-nocheck
     * @throws NOT_FOUND: *\/ pwned() /* <pwned> <\/script> `${pwned}` @ts-ignore * @ts-nocheck
     */
    delete: Call<Promise_, Response_>;
  };
  constructor: {
    /**
     * \@ts-ignore pwned
     * @deprecated it may go away.
     */
    constructor: Call<NoInput, void>;
  };
}

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
} as const;

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options: ConnectOptions = {}): Api {
  return $build($service, options) as Api;
}

/** The values of each enum, and the alternatives of each union. */
export const values = {
  hostileEnum: ["*/ pwned", "`${pwned}`", "\"; pwned()", "\u003c/script>pwned", "\u2028pwned", "\u2039pwned\u203a", "\\"],
} as const;

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
} as const;

/** How large the file in an input may be. */
export const limits = {} as const;

/** The errors of the service in its own form, in CallError.form. */
export type Form = undefined;

