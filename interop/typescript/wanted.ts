// What a front end does with a service: the calls that a front-end developer wished for before
// there was this client, here with the bookmarks. The lines between the two marks are all that
// the client does not have itself; the check counts them.
import { CallError, connect, limits, rules, values, type Bookmark, type NewBookmark } from "../../examples/bookmarks/client.ts";

const api = connect({
  url: "/api",
  token: (refused) => (refused === undefined ? sessionStorage.getItem("token") : sessionStorage.removeItem("token") ?? null),
});

export async function save(form: NewBookmark) {
  const out = await api.bookmarks.create.try(form); // makes the key; after a cut sends the same key again
  if (out.ok) return `number ${out.value.id}`;
  const e = out.error;
  switch (e.reason) {
    case "bookmark_exists": return "it is there already";
    case "outcome_unknown": return `try again in ${e.retryAfter ?? 5} s`;
  }
  if (e.code === "INVALID_ARGUMENT") return { title: e.at("/title"), url: e.at("/item/url"), rest: rest(e, "/title", "/item/url") };
  return e.message;
}
// glue: begin
function rest(e: CallError, ...shown: string[]): string[] {
  return e.violations.filter((v) => !shown.includes(v.path)).map((v) => v.message);
}
// glue: end

export async function rename(id: number, title: string) {
  const b = await api.bookmarks.get({ id }); // throws what try returns
  const out = await api.bookmarks.patch.try({ id, title, if_match: b.etag });
  if (!out.ok && out.error.reason === "bookmark_changed") return { theirs: await api.bookmarks.get({ id }) };
  return out;
}

export async function follow(show: (b: Bookmark) => void, signal: AbortSignal) {
  // Connects again with Last-Event-ID; ends on done; throws on 401, 403 and an error that is not UNAVAILABLE.
  for await (const b of api.bookmarks.watch({}, { signal })) show(b);
}

export async function send(table: File, bar: HTMLProgressElement) {
  if (table.size > limits.Table.table.maxBytes) return;
  await api.bookmarks.import({ table }, { onProgress: (sent, total) => void (bar.value = sent / total) });
  document.querySelector("a")!.href = api.bookmarks.export.url();
}

export const attributes = { ...rules.NewBookmark.title, kinds: values, file: { ...rules.Table.table } };
for await (const b of api.bookmarks.list.all({ q: "ada" })) console.log(b.title);
