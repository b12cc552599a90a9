/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
// For TypeScript 5.7 and newer.
//
// FormAPI
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.forms.optional(…)

export interface OptionalForm {
  note?: string | undefined;
  /** Any file. */
  file?: FormContent | undefined;
}

export interface FormSeen {
  text: string;
}

export interface PlainForm {
  id: number;
  /** What it is called. Must have at least 1 character. */
  title: string;
  /** Must have at most 3 items. */
  tags?: string[] | undefined;
  sizes?: number[] | undefined;
  /** Must be at least 1. */
  count?: number | undefined;
  done?: boolean | undefined;
  /** Default: "red". */
  color?: "red" | "blue" | undefined;
  /** Default: 4. */
  level?: number | undefined;
  /** Base64. */
  raw?: string | undefined;
  /** A time by RFC 3339. */
  at?: string | undefined;
  /** An integer, in a string. */
  big?: string | undefined;
}

export interface UploadForm {
  title: string;
  tags?: string[] | undefined;
  note?: string | undefined;
  photo: Blob;
}

/** The calls of the service, by resource. */
export interface Api {
  forms: {
    optional: UploadCall<OptionalForm, FormSeen>;
    plain: Call<PlainForm, FormSeen>;
    upload: UploadCall<UploadForm, FormSeen>;
  };
}

const $service = {
  name: "FormAPI",
  calls: {
    forms: {
      optional: { route: "PUT /forms/optional", body: "form", file: "file" },
      plain: { route: "POST /forms/{id}", taken: { id: "/forms/upload" }, body: "form" },
      upload: { route: "POST /forms/upload", body: "form", file: "photo", types: ["image/png", "text/plain"] },
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
  PlainForm: {
    id: { required: true },
    title: { required: true, minLength: 1 },
    count: { min: 1 },
  },
  UploadForm: {
    photo: { accept: "image/png,text/plain" },
  },
} as const;

/** How large the file in an input may be. */
export const limits = {
  OptionalForm: { file: { maxBytes: 2000 } },
  UploadForm: { photo: { maxBytes: 1000 } },
} as const;

/** The errors of the service in its own form, in CallError.form. */
export type Form = undefined;

