/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
//
// FormAPI
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.forms.optional(…)

const $service = {
  name: "FormAPI",
  calls: {
    forms: {
      optional: { route: "PUT /forms/optional", body: "form", file: "file" },
      plain: { route: "POST /forms/{id}", taken: { id: "/forms/upload" }, body: "form" },
      upload: { route: "POST /forms/upload", body: "form", file: "photo", types: ["image/png", "text/plain"] },
    },
  },
};

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options = {}) {
  return $build($service, options);
}

/** The values of each enum, and the alternatives of each union. */
export const values = {};

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
};

/** How large the file in an input may be. */
export const limits = {
  OptionalForm: { file: { maxBytes: 2000 } },
  UploadForm: { photo: { maxBytes: 1000 } },
};

