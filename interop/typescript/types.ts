// What compiles and what does not, against the client of the desk. It is only compiled: a row
// behind @ts-expect-error that compiles is an error of tsc.
import { CallError, connect, limits, rules, values, type Api, type Failure, type How, type Mood, type NewTicket, type Ticket, type TicketResponse, type Violation } from "./dist/desk/client.ts";
import { connect as connectEntries, limits as entryLimits, rules as entryRules } from "./dist/entries/client.ts";

const api: Api = connect({ url: "http://127.0.0.1", token: () => null, headers: { "X-A": "1" }, attempts: 2 });
const { signal } = new AbortController();

export async function calls(): Promise<void> {
  const ticket: TicketResponse = await api.tickets.create({ title: "x", mood: "wild", labels: ["a"], facts: { a: "b" }, weight: null, guest: { name: "a", email: "b" } }, { signal, idempotencyKey: "k" });
  const id: number = ticket.id;
  const tag: string | undefined = ticket.eTag;
  const weight: number | null = ticket.weight;
  const nothing: void = await api.tickets.delete({ id });
  const listed = await api.tickets.list();
  const total: number = listed.total;
  for await (const t of api.tickets.list.all({ mood: ["calm"] }, { signal })) t.title satisfies string;
  for await (const t of api.tickets.feed.all()) t.mood satisfies Mood;
  for await (const tick of api.tickets.watch({ to: 3 }, { signal })) tick.n satisfies number;
  const file: Response = await api.tickets.attachment({ id });
  const attached = await api.tickets.attach({ id, photo: new Blob(["x"]), note: "n" }, { onProgress: (sent, total) => void (sent / total) });
  const bytes: number = attached.bytes;
  const url: string = api.tickets.attachment.url({ id });
  const { queryKey, queryFn } = api.tickets.list.query({ page: 1 });
  const key: readonly unknown[] = queryKey;
  (await queryFn()).data satisfies readonly Ticket[];
  await api["things-x"].make({ name: "x" });
  await api.tickets.patch({ id, labels: null, weight: null });
  void [tag, weight, nothing, total, file, bytes, url, key];

  // @ts-expect-error a wrong field
  await api.tickets.create({ title: "x", tilte: "y" });
  // @ts-expect-error a field is missing
  await api.tickets.create({ mood: "calm" });
  // @ts-expect-error a value that is none
  await api.tickets.create({ title: "x", mood: "odd" });
  // @ts-expect-error a wrong type
  await api.tickets.create({ title: 7 });
  // @ts-expect-error null where there is none
  await api.tickets.create({ title: null });
  // @ts-expect-error undefined is not null
  await api.tickets.create({ title: "x", guest: { name: "a", email: undefined } });
  // @ts-expect-error the input is missing
  await api.tickets.create();
  // @ts-expect-error a wrong field of the output
  ticket.name;
  // @ts-expect-error a method that is not there
  await api.tickets.remove({ id: 1 });
  // @ts-expect-error a resource that is not there
  await api.ticket.get({ id: 1 });
  // @ts-expect-error null for what is not nullable
  await api.tickets.patch({ id, title: null });
  // @ts-expect-error a file of two types has none in a buffer
  await api.tickets.attach({ id, photo: new Uint8Array(3) });
  for await (const got of api.tickets.watch.try({ to: 1 }, { onOpen: () => {}, onCut: (error) => void error.reason })) {
    if (got.ok) got.value.n satisfies number;
    // @ts-expect-error a reason that is none
    else if (got.error.reason === "no_tick") return;
  }
  // A form gives what it has.
  await api.tickets.create({ title: "x", mood: undefined, labels: undefined, weight: undefined });
  // @ts-expect-error a POST has no .url
  api.tickets.create.url({ title: "x" });
  // @ts-expect-error a file is no text
  await api.tickets.attach({ id, photo: "text" });
  // @ts-expect-error only a method with a file has progress
  await api.tickets.create({ title: "x" }, { onProgress: () => {} });
  // @ts-expect-error a call without pages
  api.tickets.get.all({ id: 1 });
  // @ts-expect-error an option that is not there
  connect({ baseUrl: "/" });
  // @ts-expect-error a stream without its input
  api.tickets.watch();
  // @ts-expect-error an output may lack a header
  ticket.eTag.length;
}

export async function errors(): Promise<string> {
  const got = await api.tickets.get.try({ id: 1 });
  if (got.ok) return got.value.title;
  if (got.error.reason === "no_ticket") return got.error.message;
  if (got.error.reason === "outcome_unknown" || got.error.reason === "overloaded") return `try again in ${got.error.retryAfter ?? 5} s`;
  // @ts-expect-error a reason of another method
  if (got.error.reason === "same_title") return "";
  // @ts-expect-error a reason that is none
  if (got.error.reason === "no_tickets") return "";
  // @ts-expect-error a code that is none
  if (got.error.code === "NOPE") return "";
  // @ts-expect-error there is no value beside an error
  got.value;
  got.error.violations satisfies readonly Violation[];
  const paid = await api.tickets.pay.try({ id: 1, how: { kind: "cash", cents: 1 } });
  if (!paid.ok) {
    switch (paid.error.reason) {
      case "broke":
        return String(paid.error.details["missing"]);
      // @ts-expect-error a wrong reason in a switch
      case "borke":
        return "";
    }
  }
  try {
    await api.tickets.create({ title: "" });
  } catch (e) {
    if (e instanceof CallError) return e.at("/title") ?? e.code;
    throw e;
  }
  return "";
}

export async function unions(): Promise<string> {
  const card: How = { kind: "card", cents: 1, number: "4111" };
  await api.tickets.pay({ id: 1, how: card });
  // @ts-expect-error an alternative that is none
  await api.tickets.pay({ id: 1, how: { kind: "gold", cents: 1 } });
  // @ts-expect-error a member of another alternative
  await api.tickets.pay({ id: 1, how: { kind: "cash", cents: 1, number: "4111" } });
  // @ts-expect-error a member is missing
  await api.tickets.pay({ id: 1, how: { kind: "card", cents: 1 } });
  // @ts-expect-error the discriminator is missing
  await api.tickets.pay({ id: 1, how: { cents: 1, number: "4111" } });
  const { by } = await api.tickets.pay({ id: 1, how: card });
  switch (by.kind) {
    case "card":
      return by.number;
    case "iban":
      return by.holder ?? by.iban;
    case "cash":
      // @ts-expect-error a member of another alternative
      by.iban;
      return String(by.cents);
    default:
      return by satisfies never;
  }
}

// What forms need.
export const attributes = { ...rules.NewTicket.title, moods: values.Mood };
export const largest: number = limits.Attach.photo.maxBytes;
export const email: string = rules.NewTicket["/guest/email"].pattern;
values.Mood satisfies readonly Mood[];
// @ts-expect-error a field without rules
rules.NewTicket.tilte;
// @ts-expect-error a type that is none
values.Colour;
// @ts-expect-error an Enum's value that is none
export const mood: Mood = "odd";
export const failure: Failure = { code: "NOT_FOUND" };
export const draft: Partial<NewTicket> = {};

// Forms, the status that a method chooses, and reads with a body.
export async function entries(file: Blob): Promise<"old" | "new"> {
  const { entries } = connectEntries({ apiKey: "k" });
  await entries.apply({ id: 1, name: "Ada", agrees: false, mood: "wild", sizes: [1], big: "18446744073709551615" });
  await entries.drop({ title: "x" });
  const sent = await entries.send({ title: "x", file }, { onProgress: (sent, total) => void (sent / total) });
  sent.name satisfies string;
  // @ts-expect-error the file is missing
  await entries.send({ title: "x" });
  // @ts-expect-error a form has no streams
  await entries.send({ title: "x", file: file.stream() });
  for await (const e of entries.find.all({ words: ["x"] })) e.title satisfies string;
  for await (const tick of entries.follow({ to: 3 })) tick.n satisfies number;
  // @ts-expect-error a QUERY has no .url
  entries.find.url({ words: ["x"] });
  const saved = await entries.save({ id: 1, title: "x" });
  // @ts-expect-error a status that the method does not choose
  if (saved.status === 202) return "old";
  return saved.status === 201 ? "new" : "old";
}
entryLimits.Parcel.file.maxBytes satisfies number;
entryRules.Parcel.file.accept satisfies string;
