// sha256-ed80bc6d011ba8ce351c1d7b402a09a4 of the lines below, which svc has written: do not edit them, fetch the file again.
// Links, notes and small files, with tags. All of them are those of the caller.
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.bookmarks.create(…)

/** A NewBookmark is a bookmark without what the server gives it. */
export interface NewBookmark {
  /** Must have at least 1 character; must have at most 200 characters. */
  title: string;
  item: Item;
  /**
   * Must have at most 10 items; must not have the same item twice; each item must have at most 30
   * characters; each item must match the pattern ^[a-z0-9-]+$.
   */
  tags?: string[];
}

/** An Item is a link, a note or a file. */
export type Item =
  | ItemLink
  | ItemNote
  | ItemFile;

/** A Link is an address on the web. */
export interface ItemLink {
  kind: "link";
  /**
   * an address of http or https. Must have at most 2000 characters; must be a URI, such as
   * https://example.com/.
   */
  url: string;
}

/** A Note is text. */
export interface ItemNote {
  kind: "note";
  /** Must have at most 5000 characters. */
  text: string;
}

/** A File is stored as a whole, and no larger than the body of a request: 1 MiB. */
export interface ItemFile {
  kind: "file";
  /** Must have at least 1 character; must have at most 200 characters. */
  name: string;
  /**
   * Must have at most 100 characters; must match the pattern ^[a-z]+/[a-z0-9.+-]+$. Example:
   * "image/png".
   */
  type: string;
  /** For Create alone. Download has it. Base64. */
  data?: string;
}

/** A Bookmark is an item that somebody wants to find again. */
export interface BookmarkResponse {
  /** Beyond 2^53 it is not exact, and not sent. */
  id: number;
  title: string;
  item: Item;
  tags: string[];
  /** A time by RFC 3339. */
  created_at: string;
  /** Differs after each change. Send it back in a Change to change no newer bookmark. */
  etag: string;
  location?: string;
}

/** A Filter says which bookmarks to list. */
export interface Filter {
  /**
   * Words of the title or of a note, as one types them into a search engine. Must have at most 200
   * characters.
   */
  q?: string;
  kind?: "link" | "note" | "file";
  /**
   * The bookmark has all of them. Must have at most 10 items; each item must have at most 30
   * characters.
   */
  tag?: string[];
  /** The next_cursor of an earlier answer; empty for the beginning. */
  cursor?: string;
  /** How many items; more than 100 counts as 100. Must be at least 1. Default: 20. */
  limit?: number;
}

export interface CursorResponseBookmark {
  data: Bookmark[];
  next_cursor?: string;
  prev_cursor?: string;
  has_more: boolean;
}

/** A Bookmark is an item that somebody wants to find again. */
export interface Bookmark {
  /** Beyond 2^53 it is not exact, and not sent. */
  id: number;
  title: string;
  item: Item;
  tags: string[];
  /** A time by RFC 3339. */
  created_at: string;
  /** Differs after each change. Send it back in a Change to change no newer bookmark. */
  etag: string;
}

/** An ID says which bookmark. */
export interface ID {
  /** Must be at least 1. Beyond 2^53 it is not exact, and not sent. */
  id: number;
}

/** A Change has what is to be changed. An absent member stays as it is. */
export interface Change {
  /** Must be at least 1. Beyond 2^53 it is not exact, and not sent. */
  id: number;
  /** Must have at least 1 character; must have at most 200 characters. */
  title?: string;
  /**
   * Must have at most 10 items; must not have the same item twice; each item must have at most 30
   * characters; each item must match the pattern ^[a-z0-9-]+$.
   */
  tags?: string[] | null;
  /** The ETag of the bookmark that is to be changed. Without it the last writer wins. */
  if_match?: string;
}

/** Since says where the stream begins. */
export interface Since {
  /**
   * The ID of the last bookmark that the client has. Must be at least 0. Beyond 2^53 it is not
   * exact, and not sent.
   */
  after?: number;
}

/**
 * A Table has a line for each link, with its address, its title, and its tags with spaces between
 * them.
 */
export interface Table {
  /** Lines of CSV with address, title and tags. */
  table: Content;
}

/** Imported says what Import did. */
export interface Imported {
  added: number;
  /** How many addresses were there already. */
  known: number;
}

/** The calls of the service, by resource. */
export interface Api {
  bookmarks: {
    /**
     * Add a bookmark. A link that is there already is refused.
     * Needs the scope bookmarks:write.
     * @throws bookmark_exists (ALREADY_EXISTS): there is a bookmark of this address
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    create: Call<NewBookmark, BookmarkResponse, "bookmark_exists">;
    /**
     * List bookmarks, newest first, all of them or those of a kind, with some words and tags.
     * Needs the scope bookmarks:read.
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    list: ListCall<Filter, CursorResponseBookmark, Bookmark>;
    /**
     * Get one bookmark.
     * Needs the scope bookmarks:read.
     * @throws no_bookmark (NOT_FOUND): there is no such bookmark
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    get: GetCall<ID, BookmarkResponse, "no_bookmark">;
    /**
     * Get the content of a file.
     * Needs the scope bookmarks:read.
     * @throws no_bookmark (NOT_FOUND): there is no such bookmark
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    download: GetCall<ID, Response, "no_bookmark">;
    /**
     * Change title or tags; null removes all tags.
     * Needs the scope bookmarks:write.
     * @throws no_bookmark (NOT_FOUND): there is no such bookmark
     * @throws bookmark_changed (FAILED_PRECONDITION): the bookmark has changed; get it again
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    patch: Call<Change, BookmarkResponse, "no_bookmark" | "bookmark_changed">;
    /**
     * Delete a bookmark.
     * Needs the scope bookmarks:write.
     * @throws no_bookmark (NOT_FOUND): there is no such bookmark
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    delete: Call<ID, void, "no_bookmark">;
    /**
     * Get all bookmarks, oldest first, and then each new one.
     * Needs the scope bookmarks:read.
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    watch: StreamCall<Since, Bookmark>;
    /**
     * Add the links of a table, but those that are there already.
     * Needs the scope bookmarks:write.
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    import: UploadCall<Table, Imported>;
    /**
     * Get all links as a table in CSV.
     * Needs the scope bookmarks:read.
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    export: GetCall<NoInput, Response>;
  };
}

const service = {
  calls: {
    bookmarks: {
      create: { route: "POST /bookmarks", body: "json", out: { etag: "ETag", location: "Location" }, keyed: true },
      list: { route: "GET /bookmarks", query: ["q", "kind", "tag", "cursor", "limit"], kind: "cursor" },
      get: { route: "GET /bookmarks/{id}", out: { etag: "ETag", location: "Location" } },
      download: { route: "GET /bookmarks/{id}/file", kind: "file" },
      patch: { route: "PATCH /bookmarks/{id}", headers: { if_match: "If-Match" }, body: "json", out: { etag: "ETag", location: "Location" }, keyed: true },
      delete: { route: "DELETE /bookmarks/{id}", kind: "void", keyed: true },
      watch: { route: "GET /bookmarks/watch", headers: { after: "Last-Event-ID" }, kind: "stream", from: "after", ids: true },
      import: { route: "POST /bookmarks/import", file: "table", type: "text/csv" },
      export: { route: "GET /bookmarks/export", kind: "file" },
    },
  },
} as const;

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options: ConnectOptions = {}): Api {
  return build(service, options) as Api;
}

/** The values of each enum, and the alternatives of each union. */
export const values = {
  Item: ["link", "note", "file"],
} as const;

/** The rules of inputs as attributes of HTML: `Object.assign(element, rules.…)`. A field inside an object has a pointer as its name. */
export const rules = {
  NewBookmark: {
    title: { required: true, minLength: 1, maxLength: 400 },
    "/item/url": { maxLength: 4000, pattern: "^https?://[!-~]+$" },
    "/item/text": { maxLength: 10000 },
    "/item/name": { minLength: 1, maxLength: 400 },
    "/item/type": { maxLength: 200, pattern: "^[a-z]+/[a-z0-9.+\\-]+$" },
  },
  Filter: {
    q: { maxLength: 400 },
    limit: { min: 1 },
  },
  ID: {
    id: { required: true, min: 1 },
  },
  Change: {
    id: { required: true, min: 1 },
    title: { minLength: 1, maxLength: 400 },
  },
  Since: {
    after: { min: 0 },
  },
  Table: {
    table: { accept: "text/csv" },
  },
} as const;

/** How large the file in an input may be. */
export const limits = {
  Table: { table: { maxBytes: 104857600 } },
} as const;

/** The errors of the service in its own form, which CallError.form has. */
export type Form = undefined;

// ---- What follows is the same for every service. ----

/** A call throws a CallError; `.try` returns it. `.query` is for useQuery of TanStack Query, and for libraries like it. */
export interface Call<In, Out, Reason extends string = never, Options = CallOptions> {
  (...args: Arguments<In, Options>): Promise<Out>;
  try(...args: Arguments<In, Options>): Promise<Result<Out, Reason>>;
  query(...args: Arguments<In, never>): { queryKey: unknown[]; queryFn: (context?: CallOptions) => Promise<Out> };
}

/** `.url` is for links and images. It has no header fields. */
export interface GetCall<In, Out, Reason extends string = never> extends Call<In, Out, Reason> {
  url(...args: Arguments<In, never>): string;
}

/** `.all` goes through the items of this page and of all behind it. */
export interface ListCall<In, Page, Item, Reason extends string = never> extends GetCall<In, Page, Reason>, Pages<In, Item> {}
export interface Pages<In, Item> {
  all(...args: Arguments<In, CallOptions>): AsyncGenerator<Item, void>;
}

export type UploadCall<In, Out, Reason extends string = never> = Call<In, Out, Reason, UploadOptions>;

/** A stream ends where the server ends it, throws where it fails, and goes on after a cut if its items have ids. */
export type StreamCall<In, Item> = (...args: Arguments<In, CallOptions>) => AsyncGenerator<Item, void>;

export type NoInput = Record<string, never>;
type Arguments<In, Options> = Record<never, never> extends In ? [input?: In, options?: Options] : [input: In, options?: Options];

export type Result<Out, Reason extends string> = { ok: true; value: Out } | { ok: false; error: CallError<Reason | OwnReason> };

/** A file that is sent. Browsers send no streams, and a stream is never sent twice. */
export type Content = FormContent | ReadableStream<Uint8Array>;
/** Only a Blob has a type, which is needed where a service takes several. */
export type FormContent = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;

export interface ConnectOptions {
  /** Where the service is, such as "https://todos.example/v1". Without it, in the directory of the page. */
  url?: string | undefined;
  /** A bearer token. A function is asked for each request, and again with a token that the service refused. */
  token?: Token | ((refused?: string) => Token | Promise<Token>);
  apiKey?: string | undefined;
  headers?: Record<string, string> | undefined;
  credentials?: "include" | "omit" | "same-origin" | undefined;
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** How often a call is sent at most, if that is safe. The default is 3. */
  attempts?: number | undefined;
  /** Gets each response, before its body is read: look at its status and headers only. */
  onResponse?: ((response: Response) => void) | undefined;
}

type Token = string | null | undefined;

export interface CallOptions {
  /** Ends the call, which throws the signal's reason. */
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** The key of an earlier call, to repeat it. Without it, each call has a new one. */
  idempotencyKey?: string | undefined;
}

export interface UploadOptions extends CallOptions {
  /** Gets numbers of bytes: in a browser while it sends, elsewhere at the end. */
  onProgress?: Progress | undefined;
}

/** What is wrong with one field. The path is a JSON Pointer, such as "/guest/email"; limit is the number of the rule. */
export interface Violation {
  in: string;
  path: string;
  rule: string;
  message: string;
  limit?: number;
}

/** Reasons that every method can have. "" is none. The call surely had no effect if it is not_sent or overloaded. */
export type OwnReason =
  | "" | "cannot_ask" | "invalid_token" | "key_reused" | "key_running" | "not_confirmed" | "not_sent" | "outcome_unknown" | "overloaded";

export type Code = keyof typeof codes;

type CallErrorInit = Partial<Pick<CallError, "reason" | "status" | "details" | "retryAfter">> & { form?: unknown; cause?: unknown };

/** The codes, and the statuses of responses that have none. */
const codes = {
  ABORTED: [],
  ALREADY_EXISTS: [409],
  CANCELED: [499],
  DATA_LOSS: [],
  DEADLINE_EXCEEDED: [504, 408],
  FAILED_PRECONDITION: [412],
  INTERNAL: [500],
  INVALID_ARGUMENT: [400],
  NOT_FOUND: [404],
  OUT_OF_RANGE: [416],
  PERMISSION_DENIED: [403],
  RESOURCE_EXHAUSTED: [429, 413],
  UNAUTHENTICATED: [401],
  UNAVAILABLE: [503, 502],
  UNIMPLEMENTED: [501, 405],
  UNKNOWN: [],
} satisfies Record<string, readonly number[]>;

export class CallError<Reason extends string = string> extends Error {
  readonly code: Code;
  /** Tells errors of one code apart. A newer server may have reasons that are not in the type. */
  readonly reason: Reason;
  /** That of the response; 0 if there was none, and within a stream. */
  readonly status: number;
  readonly details: Record<string, unknown>;
  /** In seconds. */
  readonly retryAfter: number | undefined;
  /** The body, if the service has errors in a form of its own. */
  readonly form: Form | undefined;

  constructor(code: Code, message: string, init: CallErrorInit = {}) {
    super(message, init);
    this.name = "CallError";
    this.code = code;
    this.reason = (init.reason ?? "") as Reason;
    this.status = init.status ?? 0;
    this.details = init.details ?? {};
    this.retryAfter = init.retryAfter;
    this.form = init.form as Form | undefined;
  }

  get violations(): Violation[] {
    const list = this.details["violations"];
    return Array.isArray(list) ? list : [];
  }

  /** Returns what is wrong with one field, such as "/guest/email". */
  at(path: string): string | undefined {
    return this.violations.find((violation) => violation.path === path)?.message;
  }
}

interface Service {
  readonly calls: Readonly<Record<string, Readonly<Record<string, Row>>>>;
  readonly apiKey?: { readonly header?: string; readonly query?: string };
  readonly form?: true;
}

/** How a method is called. Names are those of members of its input, in `out` of its output. */
interface Row {
  readonly route: string;
  readonly query?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  /** What members are called in the query and in the body, if it is something else. */
  readonly names?: Readonly<Record<string, string>>;
  readonly body?: "form" | "json";
  readonly file?: string;
  readonly type?: string;
  /** "event" is a stream of one item. */
  readonly kind?: "cursor" | "event" | "file" | "page" | "stream" | "void";
  readonly out?: Readonly<Record<string, string | readonly [header: string, type: "boolean" | "list" | "number"]>>;
  /** The id of the event behind which a stream begins. */
  readonly from?: string;
  /** Whether all items of the stream have ids. */
  readonly ids?: true;
  readonly keyed?: true;
  readonly public?: true;
  /** Members with numbers that are no integers. */
  readonly floats?: readonly string[];
}

/** What the calls of one client share. */
interface Client {
  readonly service: Service;
  readonly options: ConnectOptions;
  readonly url: string;
  spent: number;
}

type Input = Readonly<Record<string, unknown>>;

function build(service: Service, options: ConnectOptions): unknown {
  const { location } = globalThis as { location?: { href: string } };
  const url = options.url ?? (location && new URL(".", location.href).href);
  if (url === undefined) throw new TypeError("connect: give the url of the service, since there is no page here");
  const client: Client = { service, options, url: url.replace(/\/+$/, ""), spent: 0 };
  const group = (resource: string, rows: Readonly<Record<string, Row>>) =>
    Object.fromEntries(Object.entries(rows).map(([name, row]) => [name, methodOf(client, row, [client.url, resource, name])]));
  return Object.fromEntries(Object.entries(service.calls).map(([resource, rows]) => [resource, group(resource, rows)]));
}

function methodOf(client: Client, row: Row, key: string[]): unknown {
  const start = (input: Input = {}, options: UploadOptions = {}) => new Running(client, row, input, options);
  if (row.kind === "stream") return async function* (input?: Input, options?: CallOptions) { yield* start(input, options).stream(); };
  const call = async (input?: Input, options?: UploadOptions) => start(input, options).output();
  return Object.assign(call, {
    try: (input?: Input, options?: UploadOptions) =>
      call(input, options).then(
        (value) => ({ ok: true, value }),
        (error) => {
          if (error instanceof CallError) return { ok: false, error };
          throw error;
        },
      ),
    query: (input?: Input) => ({ queryKey: [...key, input ?? {}], queryFn: (context?: CallOptions) => call(input, { signal: context?.signal }) }),
    url: (input?: Input) => start(input).url,
    async *all(input?: Input, options?: CallOptions) {
      for (;;) {
        const { data, next_cursor: cursor, page = 0, total_pages: pages = 0 } = (await call(input, options)) as Page;
        yield* data;
        if (!cursor && page >= pages) return;
        input = cursor ? { ...input, cursor } : { ...input, page: page + 1 };
      }
    },
  });
}

type Page = { data: unknown[]; next_cursor?: string; page?: number; total_pages?: number };

// While nothing succeeds, a client sends 35 repetitions: an outage must not multiply the load.
const budget = 500;
const costOfRepetition = 14; // given back if it succeeds; the success of a first attempt gives back 1

/** A call that is being made: its request, and what was learned by sending it. */
class Running {
  url: string;
  readonly #client: Client;
  readonly #row: Row;
  readonly #options: UploadOptions;
  readonly #verb: string;
  readonly #headers: Headers;
  readonly #file: unknown;
  #body: Content | FormData | string | null = null;
  #lastID = "";
  #isPlaced: boolean; // a stream that goes on would begin behind the last item
  #retry = 0;

  /** Puts the members of the input where the row says. Throws if they cannot be sent. */
  constructor(client: Client, row: Row, input: Input, options: UploadOptions) {
    const members = new Map(Object.entries(input));
    const file = row.file && members.get(row.file);
    const [verb = "", path = ""] = row.route.split(" ");
    const headers = new Headers(client.options.headers);
    this.#client = client;
    this.#row = row;
    this.#options = options;
    this.#verb = verb;
    this.#headers = headers;
    this.#file = file;
    this.#isPlaced = row.ids === true;

    const violations: Violation[] = [];
    const refuse = (place: string, path: string, rule: string, message: string) => violations.push({ in: place, path, rule, message });
    const names = new Map(Object.entries(row.names ?? {}));
    const nameOf = (member: string) => names.get(member) ?? member;
    const take = (place: string, member: string, name = nameOf(member)) => {
      const value = members.get(member);
      members.delete(member);
      for (const path of changedNumbers(value, row.floats, name, "", row.floats?.includes(member))) {
        refuse(place, path, "type", "must be finite, and below 2^53 if it is an integer: JavaScript has no larger ones exactly");
      }
      return value;
    };
    if (row.file) members.delete(row.file);
    this.url = client.url + path.replace(/\{(.+?)\}/g, (_, member: string) => {
      const [text] = textsOf(take("path", member));
      if (text === undefined) refuse("path", `/${nameOf(member)}`, "required", "is required");
      else if (!/^(\.\.?|\/)?$|\p{Surrogate}/u.test(text)) return encodeURIComponent(text);
      else refuse("path", `/${nameOf(member)}`, "syntax", 'must not be empty, ".", "..", "/" or have half a surrogate pair, which the path of a URL cannot carry');
      return "";
    });
    const query = new URLSearchParams();
    for (const member of row.query ?? []) {
      for (const text of textsOf(take("query", member))) query.append(nameOf(member), text);
    }
    for (const [member, name] of Object.entries(row.headers ?? {})) {
      for (const text of textsOf(take("header", member, name))) {
        if (isHeaderText(text)) headers.set(name, text);
        else refuse("header", `/${name}`, "syntax", "must be visible ASCII characters, with spaces only between them, since a header carries nothing else");
      }
    }
    const fields = [...members.keys()].map((member): [string, unknown] => [nameOf(member), take("body", member)]);
    const [first] = violations;
    if (first) throw new CallError("INVALID_ARGUMENT", `invalid input: ${first.path} ${first.message}`, { status: 400, details: { violations } });

    const { apiKey = "" } = client.options;
    const { header, query: parameter } = client.service.apiKey ?? {};
    if (apiKey && parameter) query.set(parameter, apiKey);
    if (apiKey && header) headers.set(header, apiKey);
    if (query.size > 0) this.url += `?${query}`;
    headers.set("Accept", row.kind === "file" ? "*/*" : row.kind === "stream" || row.kind === "event" ? "text/event-stream" : "application/json");
    if (row.keyed) headers.set("Idempotency-Key", options.idempotencyKey ?? newKey());
    this.#writeBody(fields, nameOf(row.file ?? ""));
    for (const [name, value] of Object.entries(options.headers ?? {})) headers.set(name, value);
  }

  #writeBody(fields: [name: string, value: unknown][], nameOfFile: string): void {
    const { body, type = "application/octet-stream" } = this.#row;
    const file = this.#file;
    const fileType = (file instanceof Blob && file.type) || type;
    if (body === "form") {
      const form = new FormData();
      for (const [name, value] of fields) {
        for (const text of textsOf(value)) form.append(name, text);
      }
      // The file comes last, so that the service has the fields when it reads it.
      if (file) form.append(nameOfFile, file instanceof Blob ? file : new Blob([file as ArrayBuffer], { type: fileType }));
      this.#body = form;
    } else if (file) {
      this.#body = file as Content;
      this.#headers.set("Content-Type", fileType);
    } else if (body || this.#verb === "POST") { // from pages of other sites, a service takes no POST without this type
      this.#body = body ? JSON.stringify(Object.fromEntries(fields)) : null;
      this.#headers.set("Content-Type", "application/json");
    }
  }

  /** Whether several requests have the effect of one. */
  get #isRepeatable(): boolean {
    const isConditional = ["If-Match", "If-None-Match", "If-Unmodified-Since"].some((name) => this.#headers.has(name));
    return this.#row.keyed ?? (/GET|QUERY/.test(this.#verb) || (/PUT|DELETE/.test(this.#verb) && !isConditional));
  }

  output(): Promise<unknown> {
    return this.#send(async (response) => {
      const { kind, out = {} } = this.#row;
      if (kind === "file" && response.headers.has("Content-Type")) return response;
      if (kind === "event") {
        for await (const item of this.#items(response)) return item;
        throw this.#unreadable(response);
      }
      const text = await this.#textOf(response);
      if (kind === "void" && text === "") return undefined;
      const json = parseJSON(text, response);
      if (json === undefined) throw this.#unreadable(response);
      if (kind === "void") return undefined;
      for (const [member, header] of Object.entries(out)) {
        const [name, type] = typeof header === "string" ? [header] : header;
        const value = name === ":status" ? String(response.status) : response.headers.get(name);
        if (value !== null) membersOf(json)[member] = type === "number" ? Number(value) : type === "boolean" ? value === "true" : type === "list" ? value.split(", ") : value;
      }
      return json;
    });
  }

  async *stream(): AsyncGenerator<unknown, void> {
    let response = await this.#send(async (first) => first);
    for (let failures = 0; ; failures++) {
      try {
        if (failures > 0) response = await this.#open();
        for await (const item of this.#items(response)) {
          failures = 0;
          yield item;
        }
        return;
      } catch (error) {
        const goesOn = this.#row.from && this.#isPlaced && isHeaderText(this.#lastID) && this.#isRepeatable && this.#client.options.attempts !== 1;
        if (!(error instanceof CallError && goesOn && isTransient(error, true)) || (error.status >= 400 && error.status < 500 && error.status !== 429)) throw error;
        const least = Math.max(this.#retry, Math.min((error.retryAfter ?? 0) * 1000, 30_000));
        await wait(Math.max(jitter(least), backoff(error, failures, 30_000)), this.#options.signal);
        if (this.#lastID) this.#headers.set("Last-Event-ID", this.#lastID);
      }
    }
  }

  /** The items of one connection. It throws where that is cut. */
  async *#items(response: Response): AsyncGenerator<unknown, void> {
    const reader = response.body?.getReader();
    try {
      if (!reader || !response.headers.get("Content-Type")?.startsWith("text/event-stream")) throw this.#unreadable(response);
      for await (const { name, data, id, retry } of readEvents(reader)) {
        this.#options.signal?.throwIfAborted(); // more may have come already
        this.#lastID = id ?? this.#lastID;
        this.#retry = retry ?? this.#retry;
        this.#isPlaced ||= Boolean(id);
        if (data === undefined) continue;
        if (name === "done") return;
        const json = parseJSON(data);
        if (name === "error") throw afterAttempts(errorIn(json, this.#client.service, {}) ?? this.#unreadable(response));
        if (json === undefined) throw this.#unreadable(response);
        this.#isPlaced = Boolean(id);
        yield json;
      }
    } catch (error) {
      throw this.#lost("the response was cut", error);
    } finally {
      reader?.cancel().catch(() => {}); // of a connection that is cut already
    }
  }

  /** Makes attempts until one succeeds, or until another one cannot help or could have an effect twice. */
  async #send<T>(read: (response: Response) => Promise<T>): Promise<T> {
    const client = this.#client;
    let mayHaveRun = false;
    for (let repetitions = 0; ; repetitions++) {
      try {
        const output = await read(await this.#open());
        client.spent = Math.max(0, client.spent - (repetitions > 0 ? costOfRepetition : 1));
        return output;
      } catch (error) {
        if (!(error instanceof CallError)) throw error;
        const { reason, retryAfter } = error;
        const isLast = repetitions + 1 >= (client.options.attempts ?? 3) || client.spent + costOfRepetition > budget || (retryAfter ?? 0) > 20;
        if (isLast || this.#body instanceof ReadableStream || !isTransient(error, this.#isRepeatable)) throw mayHaveRun ? afterAttempts(error) : error;
        client.spent += costOfRepetition;
        mayHaveRun ||= !isUnrun(reason);
        await wait(retryAfter === undefined ? backoff(error, repetitions, 20_000) : Math.min(jitter(retryAfter * 1000), 20_000), this.#options.signal);
      }
    }
  }

  /** Makes one attempt. If the token is refused, it asks for another. */
  async #open(): Promise<Response> {
    const { token } = this.#client.options;
    const ask = (refused?: string) => (typeof token === "function" ? token(refused) : token);
    const first = await ask();
    try {
      return await this.#exchange(first);
    } catch (error) {
      if (!first || !(error instanceof CallError) || error.reason !== "invalid_token" || this.#body instanceof ReadableStream) throw error;
      const second = await ask(first);
      if (second && second !== first) return this.#exchange(second);
      if (this.#row.public) return this.#exchange("");
      throw error;
    }
  }

  /** Sends the request. Returns the response if it is a success. */
  async #exchange(token: Token): Promise<Response> {
    const { credentials = "same-origin", fetch: send = fetch, onResponse } = this.#client.options;
    const { signal, onProgress } = this.#options;
    const headers = new Headers(this.#headers);
    if (token) headers.set("Authorization", `Bearer ${token}`);
    // A redirected POST would be a GET. A body that is a stream needs duplex.
    const init: RequestInit & { duplex: "half" } = { method: this.#verb, headers, body: this.#body, credentials, redirect: "manual", signal: signal ?? null, duplex: "half" };
    signal?.throwIfAborted();
    if (send === fetch && !("location" in globalThis) && !/^https?:/i.test(this.url)) { // .url works there
      throw new TypeError(`there is no page here for ${this.url}: give connect the whole url`);
    }
    let response: Response;
    try {
      response = await (onProgress ? sendWithProgress(this.url, init, send, this.#file, onProgress) : send(this.url, init));
    } catch (error) {
      throw this.#lost("the server did not answer", error);
    }
    onResponse?.(response);
    if (response.ok) return response;

    const { status } = response;
    const isRefused = response.headers.get("WWW-Authenticate")?.includes('error="invalid_token"');
    const isLost = status === 502 || status === 504; // by a proxy
    const error = { status, retryAfter: secondsIn(response.headers.get("Retry-After") ?? ""), reason: isRefused ? "invalid_token" : "" };
    throw errorIn(parseJSON(await this.#textOf(response), response), this.#client.service, error)
      ?? new CallError(codeOf(status), `the status is ${status}, without an error of the service`, isLost ? { ...error, reason: "outcome_unknown" } : error);
  }

  async #textOf(response: Response): Promise<string> {
    try {
      return await response.text();
    } catch (error) {
      throw this.#lost("the response was cut", error);
    }
  }

  #unreadable({ headers, status }: Response): CallError {
    const type = headers.get("Content-Type");
    if (type === null) return this.#lost("the response was cut"); // Chromium takes half a head for a whole one
    return new CallError("INTERNAL", `the response is not what the method returns: its status is ${status}, its type ${type}`, { status });
  }

  /** The error for an answer that did not come, or not whole. Throws the reason of the signal if that is why. */
  #lost(message: string, cause?: unknown): CallError {
    this.#options.signal?.throwIfAborted();
    if (cause instanceof CallError) return cause;
    const { code } = membersOf(membersOf(cause)["cause"]); // in Node
    const reason = code === "ECONNREFUSED" || code === "ENOTFOUND" ? "not_sent" : "outcome_unknown";
    return new CallError("UNAVAILABLE", message, { reason, cause });
  }
}

/** The texts of a list, of one value, or of none. */
function textsOf(value: unknown): string[] {
  return [value ?? []].flat().map(String);
}

function isHeaderText(text: string): boolean {
  return /^([!-~]([ -~]*[!-~])?)?$/.test(text);
}

/** The places of numbers that would arrive as others, such as 9007199254740993 as 9007199254740992, and NaN as null. */
function* changedNumbers(value: unknown, floats: readonly string[] = [], name: string, parent = "", isFloat = false): Generator<string, void> {
  const path = `${parent}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  isFloat ||= floats.includes(name);
  if (typeof value === "number" && !(isFloat || value % 1 ? Number.isFinite(value) : Number.isSafeInteger(value))) yield path;
  if (typeof value !== "object" || value === null) return;
  for (const [member, inner] of Object.entries(value)) yield* changedNumbers(inner, floats, member, path, isFloat);
}

/** randomUUID would need a secure context. */
function newKey(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join("-");
}

/** Whether to make another attempt after an error. */
function isTransient({ code, reason, retryAfter, status }: CallError, isRepeatable: boolean): boolean {
  if (isUnrun(reason) || !isRepeatable) return isUnrun(reason);
  if (code === "RESOURCE_EXHAUSTED") return status === 429;
  if (code === "ABORTED") return retryAfter !== undefined;
  if (code === "DEADLINE_EXCEEDED") return status > 0 && reason === "outcome_unknown"; // of a proxy
  return code === "UNAVAILABLE";
}

function isUnrun(reason: string): boolean {
  return reason === "not_sent" || reason === "overloaded";
}

/** The error of a call of which an earlier attempt may have had an effect. */
function afterAttempts(error: CallError): CallError {
  return isUnrun(error.reason) ? new CallError(error.code, error.message, { ...error, reason: "outcome_unknown", cause: error }) : error;
}

/** Adds up to a tenth, so that not all clients come back together. */
function jitter(milliseconds: number): number {
  return milliseconds * (1 + Math.random() / 10);
}

function backoff({ status }: CallError, repetitions: number, most: number): number {
  return Math.random() * Math.min((status === 429 ? 1000 : 50) * 2 ** repetitions, most);
}

function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal?.addEventListener("abort", end);
  });
}

/** The error that a body is: the envelope of svc, or the form of the service. */
function errorIn(json: unknown, service: Service, init: CallErrorInit): CallError | undefined {
  const outer = membersOf(json);
  const { code, detail, message = detail, reason, details } = membersOf(outer["error"] ?? outer);
  if (service.form && outer === json && !("error" in outer)) {
    const status = Number(init.status ?? outer["status"] ?? 500);
    return new CallError(codeOf(status), String(message ?? `the status is ${status}`), { ...init, form: json });
  }
  if (typeof code !== "string" || !Object.hasOwn(codes, code) || typeof message !== "string") return undefined;
  return new CallError(code as Code, message, { ...init, reason: String(reason ?? init.reason ?? ""), details: membersOf(details) });
}

function codeOf(status: number): Code {
  const [code] = Object.entries<readonly number[]>(codes).find(([, statuses]) => statuses.includes(status)) ?? [];
  return (code ?? (status >= 400 && status < 500 ? "INVALID_ARGUMENT" : "UNKNOWN")) as Code;
}

/** Reads Retry-After, which has seconds or a date. */
function secondsIn(text: string): number | undefined {
  if (/^\d+$/.test(text)) return Number(text);
  return text.endsWith("GMT") ? Math.max(0, Date.parse(text) - Date.now()) / 1000 : undefined;
}

/** Reads JSON: of a response, only if that says so. Returns undefined for anything else. */
function parseJSON(text: string, response?: Response): unknown {
  try {
    if (!response || /^application\/(.+\+)?json\s*(;|$)/i.test(response.headers.get("Content-Type") ?? "")) return JSON.parse(text);
  } catch {}
  return undefined;
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

type StreamEvent = { name?: string; data?: string; id?: string; retry?: number };

/** Server-sent events. Without the event done, at which a reader leaves, it ends by an error. */
async function* readEvents(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<StreamEvent, void> {
  const decoder = new TextDecoder();
  let event: StreamEvent = {};
  let rest = "";
  for (;;) {
    const silence = setTimeout(() => reader.cancel().catch(() => {}), 45_000); // the server sends a comment every 15 s
    const { value, done } = await reader.read().finally(() => clearTimeout(silence));
    if (done) throw new TypeError("the stream has ended, or was silent for 45 s");
    const lines = decoder.decode(value, { stream: true }).split("\n");
    lines[0] = rest + lines[0];
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const [, field, text = ""] = /^([^:\r]*):? ?(.*?)\r?$/s.exec(line) ?? [];
      if (field === "data") event.data = event.data === undefined ? text : `${event.data}\n${text}`;
      else if (field === "event") event.name = text;
      else if (field === "id" && !text.includes("\0")) event.id = text;
      else if (field === "retry" && /^\d+$/.test(text)) event.retry = Number(text);
      else if (field === "" && !line.startsWith(":")) {
        yield event;
        event = {};
      }
    }
  }
}

/** Sends a file by XMLHttpRequest where there is one, since fetch does not tell how far it is. */
async function sendWithProgress(url: string, init: RequestInit, send: NonNullable<ConnectOptions["fetch"]>, file: unknown, onProgress: Progress): Promise<Response> {
  const { XMLHttpRequest } = globalThis as { XMLHttpRequest?: new () => Upload };
  if (!XMLHttpRequest || file instanceof ReadableStream) {
    const response = await send(url, init);
    const { size = 0, byteLength = size } = file as { size?: number; byteLength?: number };
    onProgress(byteLength, byteLength);
    return response;
  }
  return new Promise((resolve, reject) => {
    const upload = new XMLHttpRequest();
    const abort = () => upload.abort();
    init.signal?.addEventListener("abort", abort);
    upload.open(init.method ?? "", url);
    upload.responseType = "arraybuffer";
    upload.withCredentials = init.credentials === "include";
    new Headers(init.headers).forEach((value, name) => upload.setRequestHeader(name, value));
    upload.upload.onprogress = ({ loaded, total }) => onProgress(loaded, total);
    upload.onloadend = () => {
      init.signal?.removeEventListener("abort", abort);
      const { response, status } = upload;
      if (status === 0) return reject(new TypeError("the request failed"));
      const headers = new Headers();
      for (const [, name = "", value = ""] of upload.getAllResponseHeaders().matchAll(/^(.+?): *(.*)$/gm)) headers.append(name, value);
      resolve(new Response(status === 204 || status === 205 ? null : response, { status, headers }));
    };
    upload.send(init.body);
  });
}

type Progress = (sent: number, total: number) => void;

/** What is used here of an XMLHttpRequest, which not every runtime has. */
interface Upload {
  readonly upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null };
  readonly status: number;
  readonly response: ArrayBuffer;
  responseType: string;
  withCredentials: boolean;
  onloadend: (() => void) | null;
  open(verb: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
}
