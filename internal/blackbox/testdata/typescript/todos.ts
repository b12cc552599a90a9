/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
// For TypeScript 5.7 and newer.
//
// A list of things to do.
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.todos.all(…)

export interface clientTodo {
  /** Given by the server. */
  id: string;
  title: string;
  done: boolean;
  /** A time by RFC 3339. */
  made: string;
}

export interface clientClashInput {
  id: string;
  xCount: string;
  xCount_?: number | undefined;
}

export interface clientClash {
  id: string;
  xCount: string;
  xCount_?: number;
}

export interface clientCreate {
  /** Must have at least 1 character; must have at most 200 characters. Example: "Buy milk". */
  title: string;
  place: {
    /** Must have at most 9 characters. */
    city: string;
    /** Must be at least -90; must be at most 90. */
    lat: number;
  };
  account?: string | undefined;
}

/** clientTodo, with what the headers of the response say. */
export interface clientTodoResponse extends clientTodo {
  eTag?: string;
}

export interface clientID {
  /** Must be at least 1. Beyond 2^53 it is not exact, and not sent. */
  id: number;
}

export interface clientFeed {
  /** The next_cursor of an earlier answer; empty for the beginning. */
  cursor?: string | undefined;
  /** How many items; more than 100 counts as 100. Must be at least 1. Default: 20. */
  limit?: number | undefined;
}

export interface CursorResponseClientTodo {
  data: clientTodo[];
  next_cursor?: string;
  prev_cursor?: string;
  has_more: boolean;
}

export interface clientPage {
  /** The number of the page, from 1. Must be at least 1. Default: 1. */
  page?: number | undefined;
  /** Items on a page; more than 100 counts as 100. Must be at least 1. Default: 20. */
  per_page?: number | undefined;
  tags?: string[] | undefined;
}

export interface PageResponseClientTodo {
  data: clientTodo[];
  page: number;
  per_page: number;
  total: number;
  total_pages: number;
}

export interface clientSearch {
  /** The next_cursor of an earlier answer; empty for the beginning. */
  cursor?: string | undefined;
  /** How many items; more than 100 counts as 100. Must be at least 1. Default: 20. */
  limit?: number | undefined;
  text: string;
}

export interface clientUpload {
  /** Beyond 2^53 it is not exact, and not sent. */
  id: number;
  photo: Blob;
}

export interface clientUpdate {
  id: string;
  title: string;
  /** A member of the body. */
  ifMatch?: string | undefined;
  /** A header. */
  match?: string | undefined;
}

export interface clientWatch {
  after?: string | undefined;
}

export interface clientEvent {
  n: number;
}

export interface clientProblem {
  title: string;
}

/** The calls of the service, by resource. */
export interface Api {
  todos: {
    /** @deprecated it may go away. */
    all: GetCall<NoInput, clientTodo[]>;
    count: Call<clientClashInput, clientClash>;
    /**
     * Add a todo.
     * @throws list_full (FAILED_PRECONDITION): the list is full
     * @throws ALREADY_EXISTS: it is there
     */
    create: Call<clientCreate, clientTodoResponse, "list_full">;
    delete: Call<clientID, void>;
    feed: ListCall<clientFeed, CursorResponseClientTodo, clientTodo>;
    get: GetCall<clientID, clientTodoResponse>;
    list: ListCall<clientPage, PageResponseClientTodo, clientTodo>;
    search: Call<clientSearch, CursorResponseClientTodo> & Pages<clientSearch, CursorResponseClientTodo, clientTodo>;
    update: Call<clientUpdate, clientTodoResponse>;
    watch: StreamCall<clientWatch, clientEvent>;
  };
  "todo-photos": {
    getPhoto: GetCall<clientID, Response>;
    /** Needs the scope photos:write. */
    setPhoto: UploadCall<clientUpload, void>;
  };
}

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
} as const;

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options: ConnectOptions = {}): Api {
  return $build($service, options) as Api;
}

/** The values of each enum, and the alternatives of each union. */
export const values = {} as const;

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
} as const;

/** How large the file in an input may be. */
export const limits = {
  clientUpload: { photo: { maxBytes: 10485760 } },
} as const;

/** The errors of the service in its own form, in CallError.form. */
export type Form = clientProblem | undefined;

