/* eslint-disable */
// biome-ignore-all format: generated
// biome-ignore-all lint: generated
// biome-ignore-all assist: generated
// For TypeScript 5.7 and newer.
//
// UnionAPI
//
//     const api = connect({ url: "/" }); // the directory above the paths of the service
//     api.orders.create(…)

export interface unionOrder {
  payment: unionPayment;
  other?: unionPayment | null | undefined;
  maybe?: unionPayment | null | undefined;
  list?: unionPayment[] | undefined;
  map?: Record<string, unionPayment> | undefined;
  zero?: unionPayment | undefined;
}

export type unionPayment =
  | unionPaymentCard
  | unionPaymentIBAN
  | unionPaymentCash
  | unionPaymentBoth;

export interface unionPaymentCard {
  /** How it is paid. */
  type: "card";
  /** Must have at least 1 character. */
  id: string;
  /** Default: "none". */
  note?: string | undefined;
  /** Must have at most 4 characters. */
  number: string;
  holder?: unionName | undefined;
  /** Default: true. Always there in outputs. */
  debit?: boolean | undefined;
}

export interface unionName {
  First: string;
}

export interface unionPaymentIBAN {
  /** How it is paid. */
  type: "iban";
  /** Must have at least 1 character. */
  id: string;
  /** Default: "none". */
  note?: string | undefined;
  bic?: string | undefined;
  /** Must be at least 10. */
  number: number;
}

export interface unionPaymentCash {
  /** How it is paid. */
  type: "cash";
  /** Must have at least 1 character. */
  id: string;
  /** Default: "none". */
  note?: string | undefined;
}

export interface unionPaymentBoth {
  /** How it is paid. */
  type: "bundle";
  /** Must have at least 1 character. */
  id: string;
  /** Default: "none". */
  note?: string | undefined;
  /** Must have at most 3 items. */
  parts: unionPayment[];
  rest?: unionPayment | null | undefined;
}

/** The calls of the service, by resource. */
export interface Api {
  orders: {
    create: Call<unionOrder, unionOrder>;
    pay: Call<unionPayment, unionPayment>;
    watch: StreamCall<unionOrder, unionPayment>;
  };
}

const $service = {
  name: "UnionAPI",
  calls: {
    orders: {
      create: { route: "POST /orders", body: "json" },
      pay: { route: "POST /orders/pay", body: "json" },
      watch: { route: "POST /orders/watch", body: "json", kind: "stream" },
    },
  },
} as const;

/** Returns a client of the service. Nothing is sent before the first call. */
export function connect(options: ConnectOptions = {}): Api {
  return $build($service, options) as Api;
}

/** The values of each enum, and the alternatives of each union. */
export const values = {
  unionPayment: ["card", "iban", "cash", "bundle"],
} as const;

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
} as const;

/** How large the file in an input may be. */
export const limits = {} as const;

/** The errors of the service in its own form, in CallError.form. */
export type Form = undefined;

