/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
// For TypeScript 5.7 and newer.
//
// statusAPI
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.notes.put(…)

export interface statusIn {
  name: string;
  status?: number | undefined;
}

export interface statusOut {
  eTag?: string;
  name: string;
  /** The status of the response. */
  status: 200 | 201 | 202;
}

/** The calls of the service, by resource. */
export interface Api {
  notes: {
    put: Call<statusIn, statusOut>;
  };
}

const $service = {
  name: "statusAPI",
  calls: {
    notes: {
      put: { route: "PUT /notes/{name}", body: "json", out: { eTag: "ETag" }, status: "status", keyed: true },
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
  statusIn: {
    name: { required: true },
  },
} as const;

/** How large the file in an input may be. */
export const limits = {} as const;

/** The errors of the service in its own form, in CallError.form. */
export type Form = undefined;

