/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
// For TypeScript 5.7 and newer.
//
// BlobAPI
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.blobs.append(…)

export interface AppendBlob {
  id: string;
  range?: string | undefined;
  text: string;
}

export interface Chunk {
  location?: string;
  range?: string;
}

export interface FinishBlob {
  id: string;
  existed?: boolean | undefined;
}

export interface Finished {
  /** The status of the response. */
  status: 204 | 201;
}

export interface BlobID {
  id: string;
}

export interface BlobState {
  eTag?: string;
}

export interface PullBlob {
  id: string;
  /** The form that the client reads. */
  accept?: "application/a" | "application/b" | undefined;
}

export interface Pulled {
  accept: string;
}

export interface StartedUpload {
  location?: string;
}

/** The calls of the service, by resource. */
export interface Api {
  blobs: {
    append: Call<AppendBlob, Chunk>;
    finish: Call<FinishBlob, Finished>;
    getState: GetCall<BlobID, BlobState>;
    pull: GetCall<PullBlob, Pulled>;
    start: Call<NoInput, StartedUpload>;
  };
}

const $service = {
  name: "BlobAPI",
  calls: {
    blobs: {
      append: { route: "PATCH /blobs/{id}", headers: { range: "Content-Range" }, body: "json", kind: "void", out: { location: "Location", range: "Range" } },
      finish: { route: "PUT /blobs/{id}", body: "json", kind: "void", status: "status", keyed: true },
      getState: { route: "GET /blobs/{id}/state", kind: "void", out: { eTag: "ETag" } },
      pull: { route: "GET /blobs/{id}", headers: { accept: "Accept" } },
      start: { route: "POST /blobs", kind: "void", out: { location: "Location" }, keyed: true },
    },
  },
} as const;

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options: ConnectOptions = {}): Api {
  return $build($service, options) as Api;
}

/** The values of each enum, and the alternatives of each union. */
export const values = {} as const;

/** The rules of inputs as attributes of HTML: `Object.assign(element, rules.…)`. A field inside an object has a pointer as its name. */
export const rules = {
  AppendBlob: {
    id: { required: true },
  },
  FinishBlob: {
    id: { required: true },
  },
  BlobID: {
    id: { required: true },
  },
  PullBlob: {
    id: { required: true },
  },
} as const;

/** How large the file in an input may be. */
export const limits = {} as const;

/** The errors of the service in its own form, in CallError.form. */
export type Form = undefined;

