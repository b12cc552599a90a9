/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
//
// BlobAPI
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.blobs.append(…)

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
};

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options = {}) {
  return $build($service, options);
}

/** The values of each enum, and the alternatives of each union. */
export const values = {};

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
};

/** How large the file in an input may be. */
export const limits = {};

