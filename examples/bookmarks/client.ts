/**
 * sha256-88ed337a005051941d4ba4de643517dd of the lines below, which svc has written: do not edit them, fetch the file again.
 *
 * @generated
 * @noprettier
 */
/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
// For TypeScript 5.7 and newer.
//
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
  tags?: string[] | undefined;
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
   * An address of http or https. Must have at most 2000 characters; must be a URI, such as
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
  data?: string | undefined;
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
  q?: string | undefined;
  kind?: "link" | "note" | "file" | undefined;
  /**
   * The bookmark has all of them. Must have at most 10 items; each item must have at most 30
   * characters.
   */
  tag?: string[] | undefined;
  /** The next_cursor of an earlier answer; empty for the beginning. */
  cursor?: string | undefined;
  /** How many items; more than 100 counts as 100. Must be at least 1. Default: 20. */
  limit?: number | undefined;
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
  title?: string | undefined;
  /**
   * Must have at most 10 items; must not have the same item twice; each item must have at most 30
   * characters; each item must match the pattern ^[a-z0-9-]+$.
   */
  tags?: string[] | null | undefined;
  /** The ETag of the bookmark that is to be changed. Without it the last writer wins. */
  if_match?: string | undefined;
}

/** Since says where the stream begins. */
export interface Since {
  /**
   * The ID of the last bookmark that the client has. Must be at least 0. Beyond 2^53 it is not
   * exact, and not sent.
   */
  after?: number | undefined;
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

/** An Archive is the record of work that goes on after its call. */
export interface Archive {
  /** Beyond 2^53 it is not exact, and not sent. */
  id: number;
  state: "working" | "completed" | "failed" | "cancelled";
  /** How far it is, or why it has failed. */
  message?: string;
  /** Where it can be downloaded, once it is completed. */
  path?: string;
}

/** An ArchiveID says which archive. */
export interface ArchiveID {
  /** Must be at least 1. Beyond 2^53 it is not exact, and not sent. */
  id: number;
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
    /**
     * Begin to pack all bookmarks and files into an archive. Ask get_archive until its state is
     * not "working".
     * Needs the scope bookmarks:read.
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    pack: Call<NoInput, Archive>;
    /**
     * See how far an archive is, and at the end where it can be downloaded.
     * Needs the scope bookmarks:read.
     * @throws no_archive (NOT_FOUND): there is no such archive, or it is not completed
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    getArchive: GetCall<ArchiveID, Archive, "no_archive">;
    /**
     * Stop an archive that has not ended.
     * Needs the scope bookmarks:read.
     * @throws no_archive (NOT_FOUND): there is no such archive, or it is not completed
     * @throws archive_ended (FAILED_PRECONDITION): the archive has ended already
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    cancelArchive: Call<ArchiveID, void, "no_archive" | "archive_ended">;
    /**
     * Get the content of a completed archive.
     * Needs the scope bookmarks:read.
     * @throws no_archive (NOT_FOUND): there is no such archive, or it is not completed
     * @throws ABORTED: another call is in the way; try again
     * @throws UNAVAILABLE: the database does not answer; try again
     */
    downloadArchive: GetCall<ArchiveID, Response, "no_archive">;
  };
}

const $service = {
  name: "Bookmarks",
  calls: {
    bookmarks: {
      create: { route: "POST /bookmarks", body: "json", out: { etag: "ETag", location: "Location" }, keyed: true },
      list: { route: "GET /bookmarks", query: ["q", "kind", "tag", "cursor", "limit"], kind: "cursor" },
      get: { route: "GET /bookmarks/{id}", taken: { id: "/bookmarks/watch|/bookmarks/export" }, out: { etag: "ETag", location: "Location" } },
      download: { route: "GET /bookmarks/{id}/file", kind: "file" },
      patch: { route: "PATCH /bookmarks/{id}", headers: { if_match: "If-Match" }, body: "json", out: { etag: "ETag", location: "Location" }, keyed: true },
      delete: { route: "DELETE /bookmarks/{id}", kind: "void", keyed: true },
      watch: { route: "GET /bookmarks/watch", headers: { after: "Last-Event-ID" }, kind: "stream", ids: "all" },
      import: { route: "POST /bookmarks/import", file: "table", types: ["text/csv"] },
      export: { route: "GET /bookmarks/export", kind: "file" },
      pack: { route: "POST /archives" },
      getArchive: { route: "GET /archives/{id}" },
      cancelArchive: { route: "DELETE /archives/{id}", kind: "void" },
      downloadArchive: { route: "GET /archives/{id}/file", kind: "file" },
    },
  },
} as const;

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options: ConnectOptions = {}): Api {
  return $build($service, options) as Api;
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
  ArchiveID: {
    id: { required: true, min: 1 },
  },
} as const;

/** How large the file in an input may be. */
export const limits = {
  Table: { table: { maxBytes: 104857600 } },
} as const;

/** The errors of the service in its own form, in CallError.form. */
export type Form = undefined;

// ---- What follows is the same for every service. ----

/** A call throws a CallError; `.try` returns it. `.query` is for useQuery of TanStack Query, and for libraries like it. */
export interface Call<In, Out, Reason extends string = never, Options = CallOptions> {
  (...args: $Arguments<In, Options>): Promise<Out>;
  try(...args: $Arguments<In, Options>): Promise<Result<Out, Reason>>;
  query(...args: $Arguments<In, never>): $Query<Reason> & { queryFn: (context?: { signal?: AbortSignal | undefined }) => Promise<Out> };
}

interface $Query<Reason extends string> {
  queryKey: unknown[];
  /** It is false, since calls are sent again already. The type says which errors there are. */
  retry: false | ((failures: number, error: CallError<Reason | OwnReason>) => boolean);
}

/** `.url` is for links and images. It has no header fields. */
export interface GetCall<In, Out, Reason extends string = never> extends Call<In, Out, Reason> {
  url(...args: $Arguments<In, never>): string;
}

export interface ListCall<In, Page, Item, Reason extends string = never> extends GetCall<In, Page, Reason>, Pages<In, Page, Item, Reason> {}

/** `.all` goes through the items of this page and of all behind it. `.pages` is for useInfiniteQuery. */
export interface Pages<In, Page, Item, Reason extends string = never> {
  all(...args: $Arguments<In, CallOptions>): AsyncGenerator<Item, void>;
  pages(...args: $Arguments<In, never>): $Query<Reason> & {
    queryFn: (context: { pageParam: unknown; signal?: AbortSignal | undefined }) => Promise<Page>;
    initialPageParam: unknown;
    getNextPageParam: (page: Page) => unknown;
  };
}

export type UploadCall<In, Out, Reason extends string = never> = Call<In, Out, Reason, UploadOptions>;

/** A stream ends where the server ends it, throws where it fails, and goes on after a cut if its items have ids. `.try` yields the error last. */
export interface StreamCall<In, Item, Reason extends string = never> {
  (...args: $Arguments<In, StreamOptions>): AsyncGenerator<Item, void>;
  try(...args: $Arguments<In, StreamOptions>): AsyncGenerator<Result<Item, Reason>, void>;
}

/** One of the two is there. A stream is to be read, or ended by the signal of the call. */
export type ValueOrStream<Out, Item> = { value: Out; stream?: never } | { value?: never; stream: AsyncGenerator<Item, void> };

export interface ValueOrStreamCall<In, Out, Item, Reason extends string = never> {
  (...args: $Arguments<In, StreamOptions>): Promise<ValueOrStream<Out, Item>>;
  try(...args: $Arguments<In, StreamOptions>): Promise<Result<ValueOrStream<Out, Item>, Reason>>;
}

export type NoInput = Partial<Record<string, never>>;
type $Arguments<In, Options> = Partial<In> extends In ? [input?: In, options?: Options] : [input: In, options?: Options];

export type Result<Out, Reason extends string> = { ok: true; value: Out } | { ok: false; error: CallError<Reason | OwnReason> };

/** A file that is sent. Browsers send no streams, and a stream is never sent twice. */
export type Content = FormContent | ReadableStream<Uint8Array>;
/** Only a Blob has a type, which is needed where a service takes several. */
export type FormContent = Blob | ArrayBuffer | Uint8Array<ArrayBuffer>;

export interface ConnectOptions {
  /** Where the service is, such as "https://todos.example/v1". Without it, in the directory of the page. */
  url?: string | undefined;
  /** A bearer token. A function is asked for each request, and once for all calls with a token that the service refused. */
  token?: $Token | ((refused?: string) => $Token | Promise<$Token>);
  apiKey?: string | undefined;
  headers?: Record<string, string> | undefined;
  credentials?: "include" | "omit" | "same-origin" | undefined;
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** The first part of each queryKey. The default is the name of the service. */
  key?: string | undefined;
  /** How often a call is sent at most, if that is safe. The default is 3. */
  attempts?: number | undefined;
  /** Gets each response, before its body is read: look at its status and headers only. */
  onResponse?: ((response: Response) => void) | undefined;
}

type $Token = string | null | undefined;

export interface CallOptions {
  /** Ends the call, which throws the signal's reason. */
  signal?: AbortSignal | undefined;
  headers?: Record<string, string> | undefined;
  /** The key of an earlier call, to repeat it. Without it, each call has a new one. */
  idempotencyKey?: string | undefined;
  /** It is not sent. Libraries give it to the function of a mutation. */
  meta?: unknown;
}

export interface StreamOptions extends CallOptions {
  /** Is called when the stream is connected, at first and after each cut. */
  onOpen?: (() => void) | undefined;
  /** Is called when the stream is cut and is going to be connected again. */
  onCut?: ((error: CallError) => void) | undefined;
}

export interface UploadOptions extends CallOptions {
  /** Gets numbers of bytes: in a browser while it sends, elsewhere at the end. */
  onProgress?: ((sent: number, total: number) => void) | undefined;
}

/** What is wrong with one field. The path is a JSON Pointer, such as "/guest/email"; limit is the number of the rule; empty says that a text is "". */
export interface Violation {
  in: string;
  path: string;
  rule: string;
  message: string;
  limit?: number;
  empty?: boolean;
}

/** Reasons that every method can have. "" is none. The call surely had no effect if it is not_sent or overloaded. */
export type OwnReason =
  | "" | "cannot_ask" | "invalid_token" | "key_reused" | "key_running" | "not_confirmed" | "not_sent" | "outcome_unknown" | "overloaded";

export type Code =
  | "ABORTED" | "ALREADY_EXISTS" | "CANCELED" | "DATA_LOSS" | "DEADLINE_EXCEEDED" | "FAILED_PRECONDITION" | "INTERNAL" | "INVALID_ARGUMENT" | "NOT_FOUND"
  | "OUT_OF_RANGE" | "PERMISSION_DENIED" | "RESOURCE_EXHAUSTED" | "UNAUTHENTICATED" | "UNAVAILABLE" | "UNIMPLEMENTED" | "UNKNOWN";

type $ErrorInit = Partial<Pick<CallError, "reason" | "status" | "details" | "retryAfter">> & { form?: unknown; cause?: unknown };

/** The codes of responses that have none, by their statuses. */
const $codes: Readonly<Record<number, Code>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  405: "UNIMPLEMENTED",
  408: "DEADLINE_EXCEEDED",
  409: "ALREADY_EXISTS",
  412: "FAILED_PRECONDITION",
  413: "RESOURCE_EXHAUSTED",
  416: "OUT_OF_RANGE",
  429: "RESOURCE_EXHAUSTED",
  499: "CANCELED",
  500: "INTERNAL",
  501: "UNIMPLEMENTED",
  502: "UNAVAILABLE",
  503: "UNAVAILABLE",
  504: "DEADLINE_EXCEEDED",
};

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
  readonly form: Form;

  constructor(code: Code, message: string, init: $ErrorInit = {}) {
    super(message, init);
    this.name = "CallError";
    this.code = code;
    this.reason = (init.reason ?? "") as Reason;
    this.status = init.status ?? 0;
    this.details = init.details ?? {};
    this.retryAfter = init.retryAfter;
    this.form = init.form as Form;
  }

  get violations(): Violation[] {
    return (this.details["violations"] ?? []) as Violation[];
  }

  /** Returns what is wrong with one field, such as "/guest/email". */
  at(path: string): string | undefined {
    return this.violations.find((violation) => violation.path === path)?.message;
  }
}

interface $Service {
  readonly name?: string;
  readonly calls: Readonly<Record<string, Readonly<Record<string, $Row>>>>;
  readonly apiKey?: { readonly header?: string; readonly prefix?: string; readonly query?: string };
  readonly form?: true | "error"; // which has a member error, as the envelope
}

type $Names = Readonly<Record<string, string>>;

/** How a method is called: where the members of its input are, with their names there. The others are in the body. */
interface $Row {
  readonly route: string;
  /** The member that is several segments at the end of the path. */
  readonly tail?: string;
  /** The paths of other routes, as an expression, by the members of the path which would name them. */
  readonly taken?: $Names;
  readonly query?: readonly (string | readonly [member: string, name: string])[];
  readonly headers?: $Names;
  readonly body?: "form" | "json";
  /** The member whose value is the whole body. */
  readonly whole?: string;
  readonly file?: string;
  /** The media types that the file can have. */
  readonly types?: readonly string[];
  /** "event" is a stream of one item, "either" a value or a stream. */
  readonly kind?: "cursor" | "either" | "event" | "file" | "page" | "stream" | "void";
  /** The members of the output that are headers, and those of them that are no texts. */
  readonly out?: $Names;
  readonly parsed?: readonly string[];
  /** The member of the output that is the status. */
  readonly status?: string;
  /** A stream with this can begin behind an event; which of its items have ids. */
  readonly ids?: "all" | "some";
  /** The data of the last event of a stream, "-" where the response ends; default: the event done. */
  readonly end?: string;
  /** The media type of the output, if it is not application/json. */
  readonly accept?: string;
  readonly keyed?: true;
  readonly public?: true;
  /** Members with numbers that are no integers. */
  readonly floats?: readonly string[];
}

/** What the calls of one client share. */
interface $Client {
  readonly service: $Service;
  readonly options: ConnectOptions;
  readonly url: string;
  spent: number;
  /** The tokens that take the place of refused ones. */
  readonly renewals: globalThis.Map<string, $Renewal>;
}

interface $Renewal {
  readonly token: Promise<$Token>;
  isOver: boolean;
}

type $Input = Readonly<Record<string, unknown>>;
type $Page = { data: unknown[]; next_cursor?: string; page?: number; total_pages?: number };

type $Options = UploadOptions & StreamOptions;

function $build(service: $Service, options: ConnectOptions): unknown {
  const { location } = globalThis as { location?: { href: string } };
  const url = options.url ?? (location ? new URL(".", location.href).href : "");
  const client = { service, options, url: url.replace(/\/+$/, ""), spent: 0, renewals: new Map() };
  const mapped = <In, Out>(values: Readonly<Record<string, In>>, change: (value: In, name: string) => Out) =>
    Object.fromEntries($entriesOf(values).map(([name, value]) => [name, change(value, name)]));
  return mapped(service.calls, (rows, resource) => mapped(rows, (row, name) => $methodOf(client, row, [options.key ?? service.name, resource, name])));
}

function $methodOf(client: $Client, row: $Row, key: unknown[]): unknown {
  const start = (input?: $Input, options?: $Options): AsyncGenerator<unknown, void> => {
    const results = $run(client, row, input, options);
    return row.kind === "either" ? $split(results) : results;
  };
  async function* results(input?: $Input, options?: $Options) {
    try {
      for await (const value of start(input, options)) yield { ok: true, value };
    } catch (error) {
      if (!$isCallError(error)) throw error;
      yield { ok: false, error };
    }
  }
  if (row.kind === "stream") return Object.assign(start, { try: results });
  const call = async (input?: $Input, options?: $Options) => (await start(input, options).next()).value;
  return Object.assign(call, {
    try: async (input?: $Input, options?: $Options) => (await results(input, options).next()).value,
    query: (input: $Input = {}) => ({ queryKey: [...key, input], queryFn: (context?: CallOptions) => call(input, { signal: context?.signal }), retry: false }),
    pages: (input: $Input = {}) => ({
      queryKey: [...key, input, "pages"],
      queryFn: ({ pageParam, signal }: CallOptions & { pageParam: $Input }) => call({ ...input, ...pageParam }, { signal }),
      initialPageParam: {},
      getNextPageParam: $nextPage,
      retry: false,
    }),
    url: (input?: $Input) => $writeRequest(client, row, input).url,
    async *all(input?: $Input, options?: CallOptions) {
      for (let next: $Input | undefined = {}; next;) {
        const page = (await call({ ...input, ...next }, options)) as $Page;
        yield* page.data;
        next = $nextPage(page);
      }
    },
  });
}

/** The members of an input that select the page behind this one. */
function $nextPage({ next_cursor: cursor, page = 0, total_pages: pages = 0 }: $Page) {
  return cursor ? { cursor } : page < pages ? { page: page + 1 } : undefined;
}

/** Puts the members of the input where the row says. Throws if they cannot be sent. */
function $writeRequest(client: $Client, row: $Row, input: $Input = {}, options: CallOptions = {}) {
  const { apiKey } = client.options;
  const { file: nameOfFile = "", floats = [], kind, types = [] } = row;
  const [verb, path] = row.route.split(" ") as [string, string];
  const members = new Map($entriesOf(input).filter(([, value]) => !Number.isNaN(value))); // NaN is what an empty field of a form has
  const file = members.get(nameOfFile);
  members.delete(nameOfFile);
  const violations: Violation[] = [];
  const refuse = (place: string, path: string, rule: string, message: string) => {
    violations.push({ in: place, path, rule, message });
    return false;
  };
  /** Refuses numbers that would arrive as others: 2^53 + 1 as 2^53, NaN in a list as null. */
  const check = (value: unknown, place: string, path = "", isFloat?: boolean) => {
    if (typeof value === "number" && !(Math.abs(value) < (isFloat ? Infinity : 2 ** 53))) refuse(place, path, "type", "must be finite, and an integer below 2^53");
    for (const [name, inner] of Object.entries($membersOf(value))) {
      if (Array.isArray(value) || !Number.isNaN(inner)) check(inner, place, `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, isFloat || floats.includes(name));
    }
  };
  /** Takes a member out of the input. Returns the texts of its values. */
  const take = (place: string, member: string, name: string, pattern: { test(text: string): boolean }) => {
    const value = members.get(member) ?? undefined;
    members.delete(member);
    if (place === "path" && value === undefined) refuse(place, `/${name}`, "required", "is required");
    check({ [name]: value }, place, "", floats.includes(member));
    return $textsOf(value).filter((text) => pattern.test(text) || refuse(place, `/${name}`, "syntax", `must be a text for a ${place}`));
  };

  const fill = (name: string) => name === row.tail
    ? take("path", name, name, $tailText).map((text) => text.split("/").map(encodeURIComponent).join("/"))
    : take("path", name, name, $pathText).map(encodeURIComponent);
  const filled = path.replace(/\{(.+?)\}/g, (_, name: string) => fill(name).join());
  for (const [name, paths] of $entriesOf(row.taken)) {
    if (new RegExp(`^(${paths})$`).test(filled)) refuse("path", `/${name}`, "syntax", "must not name another route");
  }
  let url = client.url + filled;
  const query: string[] = [];
  const addQuery = (name: string, text: string) => query.push(`${encodeURIComponent(name)}=${encodeURIComponent(text)}`);
  for (const item of row.query ?? []) {
    const [member, name = member] = [item].flat() as [member: string, name?: string];
    for (const text of take("query", member, name, $queryText)) addQuery(name, text);
  }
  const headers = new Headers(client.options.headers);
  headers.set("Accept", kind === "file" ? "*/*" : kind === "stream" || kind === "event" ? "text/event-stream" : (row.accept ?? "application/json") + (kind === "either" ? ", text/event-stream" : ""));
  for (const [member, name] of $entriesOf(row.headers)) {
    for (const text of take("header", member, name, $headerText)) headers.set(name, text);
  }
  const { whole } = row;
  const json: unknown = whole === undefined ? Object.fromEntries(members) : members.get(whole);
  check(json, "body", "", floats.includes(whole ?? ""));
  const [usual = "application/octet-stream", another] = types;
  const fileType = (file instanceof Blob && file.type) || (another ? "" : usual);
  if (file && types.length > 0 && !types.includes(fileType.replace(/ *;.*/, "").toLowerCase())) refuse("body", `/${nameOfFile}`, "contentType", `must be a Blob of ${types.join(" or ")}`);
  const first = violations.at(0);
  if (first) throw new CallError("INVALID_ARGUMENT", `invalid input: ${first.path} ${first.message}`, { status: 400, details: { violations } });

  const { header, prefix = "", query: parameter } = client.service.apiKey ?? {};
  if (apiKey && parameter) addQuery(parameter, apiKey);
  if (apiKey && header) headers.set(header, prefix + apiKey);
  if (query.length > 0) url += `?${query.join("&")}`;
  if (row.keyed) headers.set("Idempotency-Key", options.idempotencyKey ?? $newKey());

  let body: Content | FormData | string | null = null;
  if (row.body === "form") {
    body = new FormData();
    for (const [name, value] of members) {
      for (const text of $textsOf(value)) body.append(name, text);
    }
    // The file comes last, so that the service has the fields when it reads it.
    if (file) body.append(nameOfFile, file instanceof Blob && file.type ? file : new Blob([file as ArrayBuffer], { type: fileType }), (file as { name?: string }).name);
  } else if (file) {
    body = file as Content;
    headers.set("Content-Type", fileType);
  } else if (row.body ? json !== undefined : verb === "POST") { // from pages of other sites, a service takes no POST without this type
    if (row.body) body = JSON.stringify(json, (_, value: unknown) => Number.isNaN(value) ? undefined : value);
    headers.set("Content-Type", "application/json");
  }
  for (const [name, value] of $entriesOf(options.headers)) headers.set(name, value);
  return { verb, url, headers, body, file };
}

const $pathText = /^(?!\.{0,2}$|\/$)\P{Surrogate}*$/u;
const $tailText = { test: (text: string) => text.split("/").every((segment) => $pathText.test(segment)) };
const $queryText = /^\P{Surrogate}*$/u;
const $headerText = /^([!-~]([ -~]*[!-~])?)?$/;
const $idText = /^(?![ \t])[\t -~\u{80}-\u{10ffff}]*(?<![ \t])$/u; // of Last-Event-ID, which has UTF-8

/** The texts of a list, of one value, or of none. */
function $textsOf(value: unknown) {
  return [value ?? []].flat().map(String);
}

/** 128 random bits. randomUUID would need a secure context, and React Native has no crypto. */
function $newKey() {
  const random = new Uint32Array(4).map(() => Math.random() * 2 ** 32);
  (globalThis as { crypto?: { getRandomValues(list: unknown): unknown } }).crypto?.getRandomValues(random);
  return random.join("-");
}

// While nothing succeeds, a client sends 35 repetitions: an outage must not multiply the load.
const $budget = 500;
const $costOfRepetition = 14; // given back if it succeeds; the success of a first attempt gives back 1

/** Yields what the first result of a call says: its value, or the stream of the other results. */
async function* $split(results: AsyncGenerator<unknown, void>): AsyncGenerator<unknown, void> {
  const first = (await results.next()).value;
  yield "value" in $membersOf(first) ? first : { stream: results };
}

/** Yields the items of a stream, or the output of another call. What may be either begins with { value } or {}. Makes attempts until one succeeds, or until another cannot help or could have an effect twice. */
async function* $run(client: $Client, row: $Row, input?: $Input, options: $Options = {}) {
  const { verb, url, headers, body, file } = $writeRequest(client, row, input, options);
  const { attempts = 3, credentials = "same-origin", fetch: send = fetch, onResponse, token } = client.options;
  const { signal, onProgress } = options;
  const isOnce = "getReader" in $membersOf(body); // a stream
  const isEither = row.kind === "either";
  if ((row.kind === "stream" || row.kind === "event") && send === fetch && typeof ReadableStream === "undefined") throw new CallError("UNIMPLEMENTED", "streams need ReadableStream", { reason: "not_sent" });

  let hasToken = true as boolean;
  let isRefused = false;
  /** Asks for a token, or for one in the place of a refused one. */
  async function ask(refused?: string) {
    try {
      hasToken = false;
      const asked = typeof token === "function" ? await token(refused) : token;
      hasToken = true;
      return asked;
    } catch (cause) {
      throw new CallError("UNAVAILABLE", "there is no token", { reason: "not_sent", cause });
    }
  }

  /** Makes one attempt. If the token is refused, it asks for another, once for all calls that had it. */
  async function open() {
    const { renewals } = client;
    const first = await ask();
    if (first && renewals.get(first)?.isOver) renewals.delete(first); // it is given out again
    return exchange(first).catch(async (error: unknown) => {
      if (!first || !isRefused || isOnce || typeof token !== "function") throw error;
      const renewal: $Renewal = renewals.get(first) ?? { token: ask(first).finally(() => { renewal.isOver = true; }), isOver: false };
      renewals.set(first, renewal);
      hasToken = false; // also for the calls that only wait: if it fails, none of them sends again
      const second = await renewal.token;
      hasToken = true;
      if (second === first || !(second || row.public)) throw error;
      return exchange(second);
    });
  }

  /** Sends the request. Returns the response if it is a success. */
  async function exchange(token: $Token) {
    $throwIfAborted(signal);
    const { location, XMLHttpRequest } = globalThis as { location?: { href: string }; XMLHttpRequest?: new () => $Upload };
    if (send === fetch && !location && !/^https?:/i.test(url)) throw new TypeError(`give connect the whole url, not ${url}`);
    const sent = new Headers(headers);
    if (token) sent.set("Authorization", `Bearer ${token}`);
    let response: Response;
    try {
      if (onProgress && XMLHttpRequest && send === fetch && !isOnce) response = await upload(new XMLHttpRequest(), sent, new URL(url, location?.href).href);
      else {
        // A redirected POST would be a GET. A body that is a stream needs duplex.
        const init = { method: verb, headers: sent, body, credentials, redirect: "manual", signal: signal ?? null, duplex: "half" };
        response = await send(url, init as RequestInit);
        const { size = 0, byteLength = size } = $membersOf(file) as { size?: number; byteLength?: number };
        onProgress?.(byteLength, byteLength);
      }
    } catch (error) {
      throw lost(error);
    }
    onResponse?.(response);
    if (response.ok) return response;
    const { status } = response;
    const challenge = status === 401 ? response.headers.get("WWW-Authenticate") ?? "" : "";
    isRefused = /(^|,)\s*Bearer\b/i.test(challenge);
    throw $errorOf(await jsonOf(response), client.service, {
      status,
      retryAfter: $secondsIn(response.headers.get("Retry-After") ?? ""),
      reason: challenge.includes('error="invalid_token"') ? "invalid_token" : status === 502 || status === 504 ? "outcome_unknown" : "",
    });
  }

  /** Sends the request so that its progress is seen, which fetch does not tell. */
  const upload = (request: $Upload, headers: Headers, place: string) =>
    $abortable<Response>(signal, (resolve, reject) => {
      request.open(verb, url);
      request.responseType = "arraybuffer";
      request.withCredentials = credentials === "include";
      headers.forEach((value, name) => { request.setRequestHeader(name, value); });
      request.upload.onprogress = ({ loaded, total }) => onProgress?.(loaded, total);
      request.onloadend = () => {
        const { response, responseURL, status } = request;
        // A redirect has been followed, with another verb or to another service.
        const isElsewhere = responseURL && responseURL !== url && responseURL !== place;
        if (status === 0 || isElsewhere) {
          reject(new TypeError("failed or redirected"));
          return;
        }
        const headers = (request.getAllResponseHeaders().match(/.+/g) ?? []).map((line) => line.split(/: *(.*)/, 2) as [string, string]);
        resolve(new Response(response.byteLength > 0 ? response : null, { status, headers }));
      };
      request.send(body);
      return () => { request.abort(); };
    });

  /** Reads the output of a call that is no stream. */
  async function outputOf(response: Response) {
    const { kind, out, parsed = [], status } = row;
    if (kind === "file" && $typeOf(response)) return response;
    if (kind === "event") {
      for await (const item of itemsOf(response)) return item;
      throw unreadable(response);
    }
    let json = await jsonOf(response);
    if (json === undefined && (kind !== "void" || $typeOf(response))) throw unreadable(response);
    if (out || status) json ??= {}; // of an answer that is headers alone
    for (const [member, name] of $entriesOf(out)) {
      const value = response.headers.get(name);
      if (value !== null) $membersOf(json)[member] = parsed.includes(member) ? $parseJSON(value) : value;
    }
    if (status) $membersOf(json)[status] = response.status;
    return json;
  }

  let lastID = "";
  let isPlaced = row.ids === "all"; // a stream that goes on would begin behind the last item
  let pause = 0; // of which the stream says that it is the least

  /** The items of one connection. It throws where that is cut. */
  async function* itemsOf(response: Response) {
    try {
      const { body } = response;
      if (!body || !$isEvents(response)) {
        await body?.cancel();
        throw unreadable(response);
      }
      for await (const { data, event, id, retry = "" } of $readEvents(body, row.end === "-")) {
        $throwIfAborted(signal); // more may have come already
        lastID = id ?? lastID;
        if ($digits.test(retry)) pause = Math.min(Number(retry), $day * 1000);
        isPlaced ||= Boolean(id);
        if (data === undefined) continue;
        if (row.end ? !event && data === row.end : event === "done") return;
        const json = $parseJSON(data);
        if (event === "error") throw $errorOf(json, client.service);
        if (json === undefined) throw unreadable(response);
        isPlaced = Boolean(id);
        yield json;
      }
    } catch (error) {
      throw lost(error);
    }
  }

  /** What the body of a response is, undefined if it is no JSON. */
  async function jsonOf(response: Response) {
    const text = await response.text().catch((error: unknown) => {
      throw lost(error);
    });
    return /^application\/(.+\+)?json\b/i.test($typeOf(response)) ? $parseJSON(text) : undefined;
  }

  function unreadable(response: Response) {
    const type = $typeOf(response);
    if (!type) return lost(); // Chromium takes half a head for a whole one
    return new CallError("INTERNAL", `the response is not what the method returns, but ${type}`, { status: response.status });
  }

  /** The error for an answer that did not come, or not whole. Throws the reason of the signal if that is why. */
  function lost(cause?: unknown) {
    $throwIfAborted(signal);
    if ($isCallError(cause)) return cause;
    const { code } = $membersOf($membersOf(cause)["cause"]); // in Node
    return new CallError("UNAVAILABLE", "there was no whole response", { reason: /ECONNREFUSED|ENOTFOUND/.test(String(code)) ? "not_sent" : "outcome_unknown", cause });
  }

  let isConditional = false;
  headers.forEach((_, name) => { isConditional ||= name.startsWith("if-"); });
  const isRepeatable = row.keyed || verb === "GET" || verb === "QUERY" || (/PUT|DELETE/.test(verb) && !isConditional);
  let hasBegun = false; // of a stream
  let isOpen = false;
  let mayHaveRun = false;
  let owed = 1;
  for (let failures = 0; ; failures++) {
    try {
      const response = await open();
      const isStream = isEither ? hasBegun || $isEvents(response) : row.kind === "stream";
      const isFirst = isEither && !hasBegun;
      const outputs = isStream ? itemsOf(response) : [await outputOf(response)];
      client.spent = Math.max(0, client.spent - owed);
      owed = 1;
      hasBegun = mayHaveRun = isOpen = true;
      options.onOpen?.();
      if (isFirst && isStream) yield {};
      for await (const output of outputs) {
        failures = 0;
        yield isFirst && !isStream ? { value: output } : output;
      }
      return;
    } catch (error) {
      if (!$isCallError(error)) throw error;
      const { code, reason, retryAfter, status } = error;
      const isUnrun = reason === "not_sent" || reason === "overloaded";
      const isTransient = code === "UNAVAILABLE" || (status === 429 && code === "RESOURCE_EXHAUSTED") || (status === 504 && reason === "outcome_unknown") || (code === "ABORTED" && retryAfter !== undefined);
      const canRepeat = hasBegun
        ? row.ids && isPlaced && $idText.test(lastID) && attempts !== 1 && code !== "ABORTED" // which refuses, as any other 4xx
        : !isOnce && hasToken && failures + 1 < attempts && client.spent + $costOfRepetition <= $budget && (retryAfter ?? 0) <= 20;
      if (!canRepeat || !(isUnrun || (isRepeatable && isTransient))) {
        throw mayHaveRun && isUnrun ? new CallError(code, error.message, { details: error.details, form: error.form, retryAfter, status, reason: "outcome_unknown", cause: error }) : error;
      }
      mayHaveRun ||= !isUnrun;
      if (!hasBegun) client.spent += owed = $costOfRepetition;
      else if (lastID) headers.set("Last-Event-ID", String.fromCharCode(...new TextEncoder().encode(lastID)));
      if (isOpen) options.onCut?.(error);
      isOpen = false;
      const most = hasBegun ? 30_000 : 20_000;
      const backoff = Math.random() * Math.min((status === 429 ? 1000 : 50) * 2 ** failures, most);
      const asked = Math.max(pause, Math.min((retryAfter ?? 0) * 1000, most)) * (1 + Math.random() / 10); // not all clients at once
      await $abortable(signal, (resolve) => {
        const timer = setTimeout(resolve, hasBegun || retryAfter === undefined ? Math.max(asked, backoff) : Math.min(asked, most));
        return () => { clearTimeout(timer); };
      });
    }
  }
}

function $isEvents(response: Response) {
  return $typeOf(response).startsWith("text/event-stream");
}

function $typeOf(response: Response) {
  return response.headers.get("Content-Type") ?? "";
}

/** Throws the reason of a signal that is aborted. In React Native it has neither the method nor a reason. */
function $throwIfAborted(signal: Partial<AbortSignal> | undefined) {
  signal?.throwIfAborted?.();
  if (signal?.aborted) throw new Error("the call was aborted");
}

function $isCallError(error: unknown): error is CallError {
  return error instanceof CallError;
}

/** A promise that is rejected when the signal is aborted. */
async function $abortable<T>(signal: AbortSignal | undefined, begin: (resolve: (value: T) => void, reject: (error: unknown) => void) => () => void) {
  let abort = () => {};
  try {
    return await new Promise<T>((resolve, reject) => {
      const end = begin(resolve, reject);
      abort = () => {
        end();
        reject(new Error());
      };
      signal?.addEventListener("abort", abort);
    });
  } finally {
    signal?.removeEventListener("abort", abort);
    $throwIfAborted(signal);
  }
}

/** The error that a body is: the envelope of svc, the form of the service, or something of a proxy. */
function $errorOf(json: unknown, service: $Service, init: $ErrorInit = {}) {
  const outer = $membersOf(json);
  const { code, detail, message = detail, reason = init.status === 401 ? init.reason : "", details } = $membersOf(outer["error"] ?? outer);
  const text = typeof message === "string" ? message : "";
  const isEnvelope = text && /^[A-Z_]+$/.test(String(code));
  const form = service.form && outer === json && !("error" in outer && (isEnvelope || service.form !== "error")) ? json : undefined;
  if (!form && isEnvelope) return new CallError(code as Code, text, { ...init, reason: String(reason), details: $membersOf(details) });
  const status = Number(init.status ?? outer["status"] ?? 500);
  return new CallError($codes[status] ?? (status >= 400 && status < 500 ? "INVALID_ARGUMENT" : "UNKNOWN"), text || `the status is ${String(status)}`, { ...init, form });
}

const $digits = /^\d+$/;
const $day = 86_400; // seconds; a timer takes 24 days, and more as nothing

/** Reads Retry-After, which has seconds or a date. */
function $secondsIn(text: string) {
  const seconds = $digits.test(text) ? Number(text) : text.endsWith("GMT") ? Math.max(0, Date.parse(text) - Date.now()) / 1000 : NaN;
  return seconds >= 0 ? Math.min(seconds, $day) : undefined;
}

/** Returns undefined for what is no JSON. */
function $parseJSON(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function $membersOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function $entriesOf<Value>(value: Readonly<Record<string, Value>> | undefined): [string, Value][] {
  return Object.entries(value ?? {});
}

type $Event = { [field: string]: string | undefined; data?: string };

/** Server-sent events. Where the response does not end them, a reader has left before its end, or it was cut. */
async function* $readEvents(body: ReadableStream<Uint8Array>, endsItself: boolean) {
  const reader = body.getReader();
  const close = () => {
    endsItself = false;
    return reader.cancel().catch(() => {});
  };
  const decoder = new TextDecoder();
  let event: $Event = {};
  let rest = "";
  try {
    for (;;) {
      const silence = setTimeout(close, 45_000); // the server sends a comment every 15 s
      const { value, done } = await reader.read().finally(() => { clearTimeout(silence); });
      if (done && endsItself) return;
      if (done) throw new TypeError("the stream has ended, or is silent");
      const lines = decoder.decode(value, { stream: true }).split("\n");
      lines[0] = rest + (lines[0] ?? "");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const [, field = "", text = ""] = /^([^:\r]*):? ?([^]*?)\r?$/.exec(line) ?? [];
        if (field) event[field] = field === "data" && event.data !== undefined ? `${event.data}\n${text}` : text;
        else if (!line.startsWith(":")) {
          yield event;
          event = {};
        }
      }
    }
  } finally {
    void close();
  }
}

/** What is used here of an XMLHttpRequest, which not every runtime has. */
interface $Upload {
  upload: { onprogress: ((event: { loaded: number; total: number }) => void) | null };
  status: number;
  response: ArrayBuffer;
  responseURL: string;
  responseType: string;
  withCredentials: boolean;
  onloadend: unknown;
  open(verb: string, url: string): void;
  setRequestHeader(name: string, value: string): void;
  getAllResponseHeaders(): string;
  send(body: unknown): void;
  abort(): void;
}
