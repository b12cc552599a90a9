// What a program in TypeScript does with the bookmarks, by client.ts beside it. interop/typescript
// compiles it with the strictest flags, and runs it.
import { CallError, connect, limits, rules, type Item } from "./client.ts";

/** Makes each call of the service at url once, and says what came of it. */
export async function tour(url: string, token: string, say: (line: string) => void): Promise<void> {
  const { bookmarks } = connect({ url, token });

  const made = await bookmarks.create({ title: "The Go language", item: { kind: "link", url: "https://go.dev/tour" }, tags: ["go"] });
  say(`made ${made.title}`);

  // A second one of the same address has a reason of its own; what is wrong with an input has a place.
  const again = await bookmarks.create.try({ title: "Again", item: made.item });
  if (!again.ok && again.error.reason === "bookmark_exists") say("it was there already");
  const wrong = await bookmarks.create.try({ title: "", item: { kind: "note", text: "a note" } });
  if (!wrong.ok) say(`the title ${wrong.error.at("/title") ?? "is right"}`);

  for await (const b of bookmarks.list.all({ kind: "link", limit: 1 })) say(`listed ${b.title}: ${describe(b.item)}`);

  // Of two changes that began with the same version, one is told that it is too late.
  const { id, etag } = await bookmarks.get({ id: made.id });
  await bookmarks.patch({ id, title: "Go", if_match: etag });
  const late = await bookmarks.patch.try({ id, tags: null, if_match: etag });
  if (!late.ok && late.error.reason === "bookmark_changed") say("somebody was faster");

  const table = new Blob(["https://www.typescriptlang.org,TypeScript,types web\n"], { type: "text/csv" });
  if (table.size <= limits.Table.table.maxBytes) {
    const { added, known } = await bookmarks.import({ table });
    say(`imported ${added}, known ${known}`);
  }
  const file = await bookmarks.export(); // a Response
  say(`exported ${file.headers.get("Content-Type")}, ${(await file.text()).includes("https://go.dev")}`);

  // The stream has no end: it goes on where a connection broke, until it is left.
  for await (const b of bookmarks.watch({ after: 0 })) {
    say(`watched ${b.title}`);
    break;
  }

  await bookmarks.delete({ id });
  try {
    await bookmarks.get({ id });
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    say(`${error.code}: ${error.message}`);
  }
  say(`titles have at most ${rules.NewBookmark.title.maxLength} units`);
}

/** Says what a bookmark is of. The compiler knows which members each kind has. */
function describe(item: Item): string {
  switch (item.kind) {
    case "link":
      return item.url;
    case "note":
      return item.text;
    case "file":
      return `${item.name}, ${item.type}`;
  }
}
