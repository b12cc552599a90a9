/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
//
// UnionAPI
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.orders.create(…)

const $service = {
  name: "UnionAPI",
  calls: {
    orders: {
      create: { route: "POST /orders", body: "json" },
      pay: { route: "POST /orders/pay", body: "json" },
      watch: { route: "POST /orders/watch", body: "json", kind: "stream" },
    },
  },
};

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options = {}) {
  return $build($service, options);
}

/** The values of each enum, and the alternatives of each union. */
export const values = {
  unionPayment: ["card", "iban", "cash", "bundle"],
};

/** The rules of inputs as attributes of HTML: `Object.assign(element, rules.…)`. A field inside an object has a pointer as its name. */
export const rules = {
  unionOrder: {
    "/payment/id": { minLength: 1 },
    "/other/id": { minLength: 1 },
    "/maybe/id": { minLength: 1 },
    "/zero/id": { minLength: 1 },
  },
  unionPayment: {
    id: { minLength: 1 },
    "/rest/id": { minLength: 1 },
  },
};

/** How large the file in an input may be. */
export const limits = {};

