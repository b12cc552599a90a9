// Calls the service with client.ts, and prints a row for each call.
import { CallError, connect, type Chat, type ChatChunk, type CreateChat, type CreateResponse, type EmbeddingInput, type FileObject, type Vector } from "./dist/client.ts";

const url = process.argv[2];
const as = (token: string, attempts?: number) => connect({ url: url + "/", token, ...(attempts && { attempts }) });
const api = as("sk-all");
const tools: CreateChat["tools"] = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } } }];
const hello: CreateChat["messages"] = [{ role: "user", content: "hello" }];
const about = (e: CallError) => `${e.status} ${e.code} ${e.form?.error.code ?? "-"} ${e.form?.error.param ?? "-"}: ${e.message}`;

// row makes a call and prints what it got and what has arrived.
async function row(name: string, make: () => unknown, min = 0): Promise<void> {
  let got: unknown;
  try {
    got = await make();
  } catch (e) {
    if (!(e instanceof CallError)) throw e;
    got = about(e);
  }
  const calls: unknown = await (await fetch(`${url}/calls?min=${min}`)).json();
  console.log(JSON.stringify({ name, got: typeof got === "string" ? got : JSON.stringify(got), calls: calls ?? [] }));
}

async function chat(more: Partial<CreateChat>): Promise<Chat> {
  const { value } = await api.chat.complete({ model: "gpt-small", messages: hello, ...more });
  return value!;
}
const says = ({ choices, usage }: Chat) => `${choices[0]!.message.content} (${choices[0]!.finish_reason}, ${usage.total_tokens} tokens)`;

async function chunks(more: Partial<CreateChat>, seen: ChatChunk[] = []): Promise<ChatChunk[]> {
  const { stream } = await api.chat.complete({ model: "gpt-small", messages: hello, stream: true, ...more });
  for await (const chunk of stream!) if (seen.push(chunk) === 2 && more.model === "gpt-endless") break;
  return seen;
}
const words = (all: ChatChunk[]) => all.filter((c) => c.choices.length).map((c) => c.choices[0]!.delta.content ?? "").join("|");

async function models() {
  await row("list models", async () => (await api.models.listModels()).data.map((m) => m.id).join(" "));
  await row("get a model", async () => (await api.models.getModel({ model: "gpt-small" })).id);
  await row("get a model with a slash", async () => (await api.models.getModel({ model: "gpt-team/own" })).id);
  await row("a model that is not there", () => api.models.getModel({ model: "llama" }));
}

async function chats() {
  await row("chat", async () => says(await chat({})));
  await row("chat with roles", async () => says(await chat({ messages: [
    { role: "developer", content: "be brief" }, { role: "user", content: "hi", name: "ann" }, { role: "assistant", content: "yes?" }, ...hello] })));
  await row("chat with parts", async () => says(await chat({ messages: [{ role: "user", content: [
    { type: "text", text: "what is this" }, { type: "image_url", image_url: { url: "https://a.example/b.png", detail: "low" } },
    { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }] }] })));
  await row("chat with options", async () => (await chat({ n: 2, stop: ["\n", "."], temperature: 0.5, seed: 7, max_completion_tokens: 10,
    logit_bias: { 50256: -100 }, metadata: { a: "b" }, user: "u" })).choices.length);
  await row("chat with a stop that is a text, and nulls", async () => says(await chat({ stop: "x", temperature: null, n: null })));
  await row("chat with tools", async () => {
    const c = (await chat({ tools })).choices[0]!, f = c.message.tool_calls![0]!.function;
    return `${f.name} ${f.arguments} (${c.finish_reason})`;
  });
  await row("chat with a tool by name", async () => (await chat({ tools, tool_choice: { type: "function", function: { name: "other" } } }))
    .choices[0]!.message.tool_calls![0]!.function.name);
  await row("chat without its tools", async () => says(await chat({ tools, tool_choice: "none" })));
  await row("chat with the output of a tool", async () => says(await chat({ messages: [
    ...hello, { role: "assistant", content: null, tool_calls: [{ id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } }] },
    { role: "tool", tool_call_id: "call_1", content: "rain" }] })));
  await row("chat with JSON", async () => says(await chat({ response_format: { type: "json_object" } })));
}

async function chatStreams() {
  await row("chat in a stream", async () => words(await chunks({})));
  await row("chat in a stream, with usage", async () => (await chunks({ stream_options: { include_usage: true } })).at(-1)!.usage!.total_tokens);
  await row("tools in a stream", async () => (await chunks({ tools }))[0]!.choices[0]!.delta.tool_calls![0]!.function.name);
  await row("a stream that the client leaves", async () => words(await chunks({ model: "gpt-endless" })), 2);
  await row("a stream that fails", async () => {
    const seen: ChatChunk[] = [];
    try {
      await chunks({ model: "gpt-broken" }, seen);
    } catch (e) {
      return `${words(seen)}, then ${(e as CallError).code}: ${(e as CallError).message}`;
    }
    return "the end";
  }, 2);
  await row("a stream that does not begin", () => chunks({ model: "llama" }));
}

async function responses() {
  const create = async (more: Partial<CreateResponse>) => (await api.responses.respond({ model: "gpt-small", input: "hello", ...more })).value!;
  const text = async (more: Partial<CreateResponse>) => {
    const item = (await create(more)).output[0]!;
    return item.type === "message" ? item.content[0]!.text : `${item.type} ${item.name} ${item.arguments}`;
  };
  await row("response", () => text({}));
  await row("response to items", () => text({ instructions: "be brief", input: [
    { role: "user", content: "hi" },
    { type: "message", role: "user", content: [{ type: "input_text", text: "see" }, { type: "input_image", image_url: "https://a.example/b.png", detail: "low" }] },
  ] }));
  await row("response with a function", () => text({ tools: [{ type: "function", name: "weather", parameters: { type: "object" }, strict: true }] }));
  await row("response to the output of a function", () => text({ previous_response_id: "resp_1", input: [
    { type: "function_call_output", call_id: "call_1", output: "rain" }] }));
  await row("response in a stream", async () => {
    const { stream } = await api.responses.respond({ model: "gpt-small", input: "hello", stream: true }), types: string[] = [];
    for await (const e of stream!) types.push(e.type.replace("response.", ""));
    return types.join(" ");
  });
  const { id } = await create({});
  await row("get a response", async () => {
    const item = (await api.responses.getResponse({ id, "include[]": ["message.output_text.logprobs"] })).output[0]!;
    return item.type === "message" ? item.content[0]!.text : item.type;
  }, 2);
  await row("delete a response", () => api.responses.deleteResponse({ id }));
  await row("get it again", () => api.responses.getResponse({ id }));
}

async function embeddings() {
  const numbers = (v: Vector) => {
    if (typeof v !== "string") return v;
    const bytes = Buffer.from(v, "base64");
    return [...new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4)];
  };
  const create = async (input: EmbeddingInput, encoding_format: "float" | "base64" = "base64", dimensions = 3) =>
    (await api.embeddings.embed({ model: "gpt-small", input, encoding_format, dimensions })).data.map((e) => numbers(e.embedding));
  await row("embedding", async () => (await create("hello"))[0]);
  await row("embeddings as numbers", () => create(["a", "bcd"], "float", 2));
  await row("embedding of tokens", async () => (await create([1, 2, 3]))[0]);
  await row("embeddings of lists of tokens", async () => (await create([[1, 2], [3]])).length);
}

async function files() {
  const show = (f: FileObject) => `${f.id}: ${f.filename}, ${f.bytes} bytes, ${f.purpose}, ${f.status}`;
  await row("upload bytes, the file last", async () => show(await api.files.uploadFile({ file: new File(["one"], "a.txt"), purpose: "user_data" })));
  await row("upload an open file that expires", async () => (await api.files.uploadFile({ purpose: "batch", file: new File(['{"n":1}\n'], "b.jsonl"),
    "expires_after[anchor]": "created_at", "expires_after[seconds]": 3600 })).expires_at);
  await row("upload a file with a name and a type", async () =>
    show(await api.files.uploadFile({ purpose: "assistants", file: new File(["1;2"], "c.csv", { type: "text/csv" }) })));
  await row("upload an empty file", () => api.files.uploadFile({ purpose: "user_data", file: new File([], "e.txt") }));
  await row("upload for no purpose", () => api.files.uploadFile({ purpose: "fun" as "batch", file: new File(["x"], "e.txt") }));
  await row("list files, in pages", async () => {
    const ids: string[] = [];
    for (let after = ""; ;) {
      const list = await api.files.listFiles({ limit: 2, order: "asc", after });
      ids.push(...list.data.map((f) => f.id));
      if (!list.has_more) return ids.join(" ");
      after = list.last_id!;
    }
  });
  await row("list files of a purpose", async () => (await api.files.listFiles({ limit: 10000, purpose: "batch", order: "desc" })).data.map((f) => f.id).join(" "));
  await row("get a file", async () => show(await api.files.getFile({ id: "file-a-txt" })));
  await row("read a file", async () => (await api.files.getFileContent({ id: "file-c-csv" })).text());
  await row("delete a file", async () => { const d = await api.files.deleteFile({ id: "file-a-txt" }); return `${d.object} ${d.id} ${d.deleted}`; });
  await row("get it again", () => api.files.getFile({ id: "file-a-txt" }));
  await row("delete without the scope", () => as("sk-reader").files.deleteFile({ id: "file-c-csv" }));
}

async function audio() {
  const file = new File(["some sound"], "s.mp3"), model = "whisper-1";
  await row("transcription, the file last", async () => (await api.audio.transcribe({ file, model })).value!.text);
  await row("transcription with words", async () => {
    const t = (await api.audio.transcribe({ file, model, response_format: "verbose_json", "timestamp_granularities[]": ["word", "segment"], language: "de", temperature: 0 })).value!;
    return `${t.language} ${t.duration} ${t.words!.map((w) => `${w.word} ${w.end}`)}`;
  });
  await row("transcription in a stream", async () => {
    const { stream } = await api.audio.transcribe({ file, model, stream: true }), texts: string[] = [];
    for await (const e of stream!) texts.push(e.type === "transcript.text.delta" ? e.delta : "= " + e.text);
    return texts.join("|");
  });
  await row("speech", async () => (await api.audio.speak({ model: "tts-1", voice: "alloy", input: "hi", response_format: "mp3" })).text());
  await row("speech in a stream", async () => {
    const answer = await api.audio.speak({ model: "tts-1", voice: "alloy", input: "hi", response_format: "wav" });
    return answer.headers.get("content-type") + ": " + (await answer.text());
  });
}

async function failures() {
  await row("a wrong key", () => as("sk-wrong").models.listModels());
  await row("a number that is too large", () => chat({ temperature: 3 }));
  await row("no messages", () => chat({ messages: [] }));
  await row("headers of an answer", async () => { const c = await chat({}); return `${c.limit} ${c.remaining} ${c.reset}`; });
  const limited = as("sk-limited", 1);
  await row("a limit", async () => {
    const left: unknown[] = [];
    for (let i = 0; i < 2; i++) left.push((await limited.embeddings.embed({ model: "gpt-small", input: "x", encoding_format: "base64" })).remaining);
    return left.join(" ");
  });
  await row("beyond a limit", async () => {
    const got = await limited.models.listModels.try();
    return got.ok ? "" : `${about(got.error)}, after ${got.error.retryAfter} s`;
  });
  await row("beyond a limit, sent again", async () => {
    const ids: string[] = [];
    for (let i = 0; i < 3; i++) ids.push((await as("sk-limited").models.listModels()).data[0]!.id);
    return ids.join(" ");
  });
  await row("no quota", () => as("sk-poor").models.listModels());
}

for (const part of [models, chats, chatStreams, responses, embeddings, files, audio, failures]) await part();
