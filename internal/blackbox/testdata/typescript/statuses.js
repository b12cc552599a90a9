/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
//
// statusAPI
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.notes.put(…)

const $service = {
  name: "statusAPI",
  calls: {
    notes: {
      put: { route: "PUT /notes/{name}", body: "json", out: { eTag: "ETag" }, status: "status", keyed: true },
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
  statusIn: {
    name: { required: true },
  },
};

/** How large the file in an input may be. */
export const limits = {};

