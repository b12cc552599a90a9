/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
// For TypeScript 5.7 and newer.
//
// Every kind, every tag, every route.
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.sinks.answer(…)

export interface Question {
  /** Must have at least 1 character; must have at most 40 characters. */
  text: string;
  /** Answer with a stream of words. */
  stream?: boolean | undefined;
}

export interface Answer {
  text: string;
  /** How many words it has. */
  count: number;
}

export interface Word {
  text: string;
  last?: boolean;
}

export interface Inner {
  /** Must be at least 1. */
  id: number;
  /** Must have at most 8 characters. */
  name?: string | undefined;
}

export interface Numbers {
  int: number;
  int8: number;
  int16: number;
  int32: number;
  /** Beyond 2^53 it is not exact, and not sent. */
  int64: number;
  uint: number;
  uint8: number;
  uint16: number;
  uint32: number;
  /** Beyond 2^53 it is not exact, and not sent. */
  uint64: number;
  float32: number;
  float64: number;
  number: number;
  bool: boolean;
}

export interface Created {
  int: number;
  int8: number;
  int16: number;
  int32: number;
  /** Beyond 2^53 it is not exact, and not sent. */
  int64: number;
  uint: number;
  uint8: number;
  uint16: number;
  uint32: number;
  /** Beyond 2^53 it is not exact, and not sent. */
  uint64: number;
  float32: number;
  float64: number;
  number: number;
  bool: boolean;
  /** Of what was created. */
  location?: string;
}

export interface ByID {
  /** Beyond 2^53 it is not exact, and not sent. */
  id: number;
}

export interface Bounds {
  /**
   * From -10 to 10. Must be at least -10; must be at most 10. Beyond 2^53 it is not exact, and not
   * sent. Example: 3.
   */
  between: number;
  /** Must be more than -10; must be less than 10. */
  inside: number;
  /** Must be at least 1; must be more than 0; must be at most 5; must be less than 9. */
  both: number;
  /** Must be at least 1. */
  unsigned: number;
  /**
   * Must be at least 1; must be at most 18446744073709551615. Beyond 2^53 it is not exact, and not
   * sent.
   */
  large: number;
  /** Must be at most 100. */
  small: number;
  /** Must be a multiple of 7. */
  seventh: number;
  /** Must be a multiple of 2. */
  even: number;
  oneOf: 1 | 2 | 30;
  /**
   * Must have at least 1 character; must have at most 5 characters. Default: "none". Always there
   * in outputs.
   */
  title?: string | undefined;
  /** Must match the pattern ^[A-Z]{2}-[0-9]+$. Example: "AB-1". */
  code: string;
  /** Default: "red". Always there in outputs. */
  colour?: "red" | "green" | "blue" | undefined;
  /** Must be an email address, such as ada@example.com. */
  mail: string;
  /** Null, or at least two characters. Must have at least 2 characters. */
  when: string | null;
  /** Must be at most 9. */
  perhaps?: number | null | undefined;
  /** Must be at most 65535. */
  port: number;
  /** Beyond 2^53 it is not exact, and not sent. */
  wide: number;
  choice?: "a" | "b" | null | undefined;
  /** Default: true. Always there in outputs. */
  flag?: boolean | undefined;
  /** Must have at least 1 item; must have at most 3 items; must not have the same item twice. */
  names?: string[] | undefined;
}

export interface ChoiceOrNull {
  needed: Choice | null;
  other?: Choice | null | undefined;
  maybe?: Choice | null | undefined;
}

export type Choice =
  | ChoiceText
  | ChoiceNumber
  | ChoiceNested
  | ChoiceNone;

export interface ChoiceText {
  /** Which of them it is. */
  type: "text";
  /** Must be at least 0. */
  id: number;
  /** Must have at most 5 characters. */
  value: string;
  color?: "red" | "green" | undefined;
}

export interface ChoiceNumber {
  /** Which of them it is. */
  type: "number";
  /** Must be at least 0. */
  id: number;
  /** Must be at least -10. */
  value: number;
  /** Default: true. Always there in outputs. */
  exact?: boolean | undefined;
}

export interface ChoiceNested {
  /** Which of them it is. */
  type: "nested";
  /** Must be at least 0. */
  id: number;
  inner: Inner;
  /** Must have at most 3 items. */
  parts: Choice[];
}

export interface ChoiceNone {
  /** Which of them it is. */
  type: "none";
  /** Must be at least 0. */
  id: number;
}

export interface Choices {
  one: Choice;
  /** Must have at most 4 items. */
  list?: Choice[] | undefined;
  byName?: Record<string, Choice> | undefined;
}

export interface Enums {
  /** Of red or green. Default: "red". Always there in outputs. */
  shade?: Shade | undefined;
  warm: "red";
  depth: Depth;
  maybe: Shade | null;
  perhaps?: Depth | null | undefined;
  opt?: Shade | null | undefined;
  /** Must have at most 3 items; must not have the same item twice. */
  many: Depth[];
  some?: (Shade | null)[] | undefined;
  named: Record<string, Shade>;
  byShade: Partial<Record<"red" | "green" | "blue", Depth>>;
  byDepth?: Partial<Record<1 | 2 | 300, boolean>> | undefined;
  /**
   * Must have at most 3 items; each item must have at least 1 character; each item must have at
   * most 5 characters; each item must match the pattern ^[^ ]*$.
   */
  words: string[];
  /** Each item must be at least -5; each item must be less than 10. */
  sizes: number[];
  /** Must not have the same item twice. */
  kinds?: ("a" | "b")[] | null | undefined;
  /** Each item must be an email address, such as ada@example.com. */
  mails?: string[] | undefined;
  /** Must have at most 2 items; each item must be a multiple of 3. */
  optList?: number[] | null | undefined;
}

export type Shade = "red" | "green" | "blue";

export type Depth = 1 | 2 | 300;

export interface Flat {
  /** Must be at least 1. */
  id: number;
  /** Must have at most 8 characters. */
  name?: string | undefined;
  /** Must have at most 3 characters. */
  note?: string | undefined;
  label: string;
  own: boolean;
  loose: Loose;
}

export interface Loose {
  level?: number | undefined;
}

export interface Floats {
  /** Must be at least -1.5; must be at most 2.5e1. */
  between: number;
  /** Must be more than 0; must be less than 1. */
  inside: number;
  /** Must be a multiple of 0.1. */
  tenth: number;
  /** Must be a multiple of 0.25. */
  quarter: number;
  oneOf: 0.5 | 1 | 1e3;
  /** Must be at least 0; must be more than -1. */
  both: number;
  /** Must not have the same item twice. */
  unique: number[];
}

export interface Free {
  any: unknown;
  /** Any JSON. */
  raw: unknown;
  money: number;
  opaque: unknown;
  maybe: number | null;
  moneys?: number[] | undefined;
}

export interface Letter {
  prose: Prose;
  needed: Prose | null;
  other?: Prose | null | undefined;
  /** Must have at most 3 items. */
  more?: Prose[] | undefined;
  byName?: Record<string, Prose> | undefined;
  hue?: Hue | undefined;
}

export type Prose =
  /** What is written. Must have at most 9 characters. */
  | string
  /** Must have at least 1 item. */
  | Inner[];

export type Hue =
  | Shade
  | Inner;

export interface Lists {
  strings: string[];
  /** Must have at most 3 items. */
  matrix: number[][];
  /** Must not have the same item twice. */
  pair: number[];
  none: string[];
  objects: Inner[];
  maybe: (Inner | null)[];
  nulls: (number | null)[] | null;
  /** Must have at least 1 item; must not have the same item twice. */
  ints: number[];
  /** Must not have the same item twice. */
  bools: boolean[];
  blobs: string[];
  times: string[];
  /** Default: [1,2]. Always there in outputs. */
  default?: number[] | undefined;
}

export interface Maps {
  ints: Record<string, number>;
  objects: Record<string, Inner>;
  maybe: Record<string, Inner | null>;
  byInt: Record<string, boolean>;
  byUint: Record<string, string>;
  byInt64: Record<string, string>;
  byColour: Record<string, number>;
  byAddress: Record<string, boolean>;
  deep: Record<string, Record<string, number>[]>;
  anything: Record<string, unknown>;
}

export interface Optional {
  /** Must have at least 2 characters. */
  empty?: string | undefined;
  /** Must be at least 5. */
  zero?: number | undefined;
  pointer: number | null;
  maybe?: number | null | undefined;
  object: Inner | null;
  /** If at all. */
  perhaps?: Inner | null | undefined;
  twice: boolean | null;
  /** A time by RFC 3339. */
  time?: string | null | undefined;
  list?: string[] | null | undefined;
  map?: Record<string, number> | null | undefined;
  /** Default: 7. Always there in outputs. */
  default?: number | null | undefined;
  /** Default: null. Always there in outputs. */
  null?: number | null | undefined;
  any?: unknown;
  /** An object. */
  inner?: Inner | undefined;
  /** Null, or at least two characters. Must have at least 2 characters. */
  word?: string | null | undefined;
  /** Must be at least 1. */
  number?: number | null | undefined;
  thing?: Inner | null | undefined;
  /** Must have at most 2 items. */
  many?: number[] | null | undefined;
}

export interface Quoted {
  /** An integer, in a string. */
  int8: string;
  /** An integer, in a string. */
  int: string;
  /** An integer, in a string. Default: "5". Always there in outputs. Example: "6". */
  int64?: string | undefined;
  /** An integer, in a string. */
  uint8: string;
  /** An integer, in a string. */
  uint64: string;
  /** A number, in a string. */
  float: string;
  /** An integer, in a string. */
  pointer: string | null;
  /** An integer, in a string. */
  maybe?: string | null | undefined;
}

export interface Texts {
  string: string;
  named: string;
  /** A time by RFC 3339. */
  time: string;
  /** A duration, such as 1m30s. */
  duration: string;
  /** Base64. */
  bytes: string;
  /** Example: "::1". */
  address: string;
  /** Must be a UUID, such as 123e4567-e89b-42d3-a456-426614174000. */
  uuid: string;
}

export interface Tree {
  value: number;
  /** What is less. */
  left?: Tree | null | undefined;
  right: Tree | null;
  children?: Tree[] | undefined;
  byName?: Record<string, Tree | null> | undefined;
  leaf?: Leaf | null | undefined;
}

export interface Leaf {
  up: Tree[];
}

export interface Query {
  /** What to look for. Must have at most 4 characters. */
  text?: string | undefined;
  required: string;
  /** Must be at least 1; must be at most 100. Default: 20. */
  limit?: number | undefined;
  tiny?: number | undefined;
  unsigned?: number | undefined;
  ratio?: number | undefined;
  number?: number | undefined;
  on?: boolean | undefined;
  /** A time by RFC 3339. */
  since?: string | undefined;
  /** A duration, such as 1m30s. */
  within?: string | undefined;
  /** Base64. */
  blob?: string | undefined;
  from?: string | undefined;
  /** Must have at most 3 items. */
  tags?: string[] | undefined;
  sizes?: number[] | undefined;
  shade?: Shade | undefined;
  /** Must have at most 2 items. */
  depths?: Depth[] | undefined;
  /** Each item must have at least 1 character; each item must have at most 4 characters. */
  words?: string[] | undefined;
  sort?: "asc" | "desc" | undefined;
  /** An integer, in a string. Default: "3". */
  quoted?: string | undefined;
}

export interface PageInner {
  data: Inner[];
  next?: Inner | null;
}

export interface Made {
  /** Must be at least 1. */
  id: number;
  /** Must have at most 8 characters. */
  name?: string;
  /** Of what was made. */
  etag: string;
  location?: string;
  /** A time as in the header Date. */
  at?: string;
  /** Must be at least 0. */
  count: number;
  ratio?: number;
  done?: boolean;
  /** A duration, such as 1m30s. */
  wait?: string;
}

export interface Move {
  row: number;
  shelf: "top" | "bottom";
  ratio: number;
  wet: boolean;
  /** A time by RFC 3339. */
  at: string;
  /** A duration, such as 1m30s. */
  for: string;
  /** Must be at least 1; must be at most 300. Example: 12. */
  size: number;
  address: string;
  digits: 1 | 10 | -5;
  carry: string;
}

export interface Pages_ {
  /** The number of the page, from 1. Must be at least 1. Default: 1. */
  page?: number | undefined;
  /** Items on a page; more than 100 counts as 100. Must be at least 1. Default: 20. */
  per_page?: number | undefined;
  /** Items after a cursor; more than 100 counts as 100. Must be at least 1. Default: 20. */
  limit?: number | undefined;
  /** The next_cursor of an earlier answer. */
  cursor?: string | undefined;
  name?: string | undefined;
}

export interface PageResponseInner {
  data: Inner[];
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
}

export interface Change {
  /** Must match the pattern ^[a-z0-9]+$. Example: "a1". */
  id: string;
  /** Must have at least 1 character. */
  name?: string | null | undefined;
  inner?: Inner | null | undefined;
  /** Must have at most 3 items. */
  tags?: string[] | null | undefined;
}

export interface Tool {
  name: string;
  /** Of <wood> & "steel". */
  handle: string;
  eTag?: string;
}

export interface Relabel {
  /** Must be at least 1. */
  id: number;
  dry?: boolean | undefined;
  /** The labels of the sink. Must have at least 1 item; must have at most 3 items. */
  labels: Inner[];
}

export interface Rename {
  /** Must be at least 1. */
  id: number;
  /** Must have at most 8 characters. */
  name?: string | undefined;
}

export interface NewTool {
  name: string;
  handle: string;
  /** The entity-tag of the tool to replace. Example: "*". */
  ifMatch?: string | undefined;
}

export interface Seek {
  /** Whose sinks. Must match the pattern ^[a-z]+$. */
  tenant?: string | undefined;
  /** Must be at least 1. */
  trace?: number | undefined;
}

export interface Sift {
  /**
   * What an output header can hold. Must have at least 2 characters; must have at most 8
   * characters; must match the pattern ^[ -~]*$.
   */
  region: string;
  /** Must have at most 12 characters. */
  remark?: string | undefined;
  /** Must be at least -5; must be at most 5. */
  level: number;
  on?: boolean | undefined;
  /** Beyond 2^53 it is not exact, and not sent. */
  wide?: number | undefined;
  /** Must be at least 0; must be less than 1. */
  ratio?: number | undefined;
  number?: number | undefined;
  /** A time as in the header Date. */
  since?: string | undefined;
  /** A duration, such as 1m30s. */
  wait?: string | undefined;
  /** Base64. */
  blob?: string | undefined;
  /** Example: "::1". */
  from?: string | undefined;
  /** Default: "asc". */
  sort?: "asc" | "desc" | undefined;
  /** Must have at most 5 characters. */
  note?: string | undefined;
}

export interface Sifted {
  region: string;
  level: number;
  /** Beyond 2^53 it is not exact, and not sent. */
  wide?: number;
  ratio?: number;
  note: string;
}

export interface Unlabel {
  /** Must be at least 1. */
  id: number;
  /** Must have at most 3 items. */
  labels: string[];
  force?: boolean | undefined;
}

export interface Update {
  /** Must match the pattern ^[a-z0-9]+$. Example: "a1". */
  id: string;
  force?: boolean | undefined;
  /** Must have at least 1 character. */
  name: string;
  inner?: Inner | null | undefined;
  tags?: string[] | undefined;
}

export interface Watch {
  /** Must be at least 1. Beyond 2^53 it is not exact, and not sent. */
  after?: number | undefined;
}

export interface InnerStrict {
  /** Must be at least 1. */
  id: number;
  /** Must have at most 8 characters. */
  name?: string | undefined;
}

export interface ByIDStrict {
  /** Beyond 2^53 it is not exact, and not sent. */
  id: number;
}

export interface PageTree {
  data: Tree[];
  next?: Tree | null;
}

/** The calls of the service, by resource. */
export interface Api {
  sinks: {
    answer: ValueOrStreamCall<Question, Answer, Word>;
    /** @deprecated it may go away. */
    archive: Call<NoInput, void>;
    count: Call<NoInput, Inner>;
    create: Call<Numbers, Created>;
    delete: Call<ByID, void>;
    echoBounds: Call<Bounds, Bounds>;
    echoChoice: Call<ChoiceOrNull, ChoiceOrNull>;
    echoChoices: Call<Choices, Choices>;
    echoEnums: Call<Enums, Enums>;
    echoFlat: Call<Flat, Flat>;
    echoFloats: Call<Floats, Floats>;
    echoFree: Call<Free, Free>;
    echoLetter: Call<Letter, Letter>;
    echoLists: Call<Lists, Lists>;
    echoMaps: Call<Maps, Maps>;
    echoOptional: Call<Optional, Optional>;
    echoQuoted: Call<Quoted, Quoted>;
    echoTexts: Call<Texts, Texts>;
    echoTree: Call<Tree, Tree>;
    empty: Call<NoInput, void>;
    follow: GetCall<ByID, Inner>;
    forget: Call<Inner, void>;
    get: GetCall<ByID, Inner>;
    list: GetCall<Query, PageInner>;
    made: GetCall<NoInput, Made>;
    make: Call<Inner, Made>;
    /** Moves a sink. */
    move: Call<Move, Move>;
    pages: ListCall<Pages_, PageResponseInner, Inner>;
    patch: Call<Change, Change>;
    relabel: Call<Relabel, Relabel>;
    rename: Call<Rename, Rename>;
    seek: GetCall<Seek, Inner>;
    sift: Call<Sift, Sifted>;
    unlabel: Call<Unlabel, Unlabel>;
    update: Call<Update, Update>;
    watch: StreamCall<Watch, Inner>;
    watchChoices: StreamCall<Choices, Choice>;
  };
  tools: {
    /** Reads <b>one</b> tool & its "handle". */
    readTool: GetCall<NoInput, Tool>;
    replaceTool: Call<NewTool, Tool>;
  };
  seconds: {
    /** Needs the scope sinks:write. */
    create: Call<InnerStrict, Tree>;
    get: GetCall<ByIDStrict, PageTree>;
  };
}

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
} as const;

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options: ConnectOptions = {}): Api {
  return $build($service, options) as Api;
}

/** The values of each enum, and the alternatives of each union. */
export const values = {
  Choice: ["text", "number", "nested", "none"],
  Shade: ["red", "green", "blue"],
  Depth: [1, 2, 300],
} as const;

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
} as const;

/** How large the file in an input may be. */
export const limits = {} as const;

/** The errors of the service in its own form, in CallError.form. */
export type Form = undefined;

