// Calls the service with the official client for Node, and prints a row for each call.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import OpenAI, { toFile, toStreamingFile } from "openai";
import { zodResponseFormat, zodTextFormat } from "openai/helpers/zod";
import { z } from "zod";

const url = process.argv[2];
const client = new OpenAI({ baseURL: url + "/v1", apiKey: "sk-all", timeout: 60_000 });
const as = (apiKey, options) => client.withOptions({ apiKey, ...options });
const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } } }];
const hello = [{ role: "user", content: "hello" }];
const call = { id: "call_1", type: "function", function: { name: "weather", arguments: '{"city":"Paris"}' } };
const Weather = z.object({ city: z.string(), degrees: z.number().int() });
const shown = (v) => (typeof v === "string" ? v : JSON.stringify(v));

// row makes a call and prints what it got and what has arrived.
async function row(name, make, min = 0) {
  let got;
  try {
    got = await make();
  } catch (e) {
    if (!(e instanceof OpenAI.APIError)) throw e;
    got = `${e.constructor.name} ${e.status} ${e.type} ${e.code ?? "-"} ${e.param ?? "-"}: ${e.error.message}`;
  }
  const calls = await (await fetch(`${url}/calls?min=${min}`)).json();
  console.log(JSON.stringify({ name, got: shown(got), calls: calls ?? [] }));
}

const chat = (more) => client.chat.completions.create({ model: "gpt-small", messages: hello, ...more });
const says = ({ choices: [c], usage }) => `${c.message.content} (${c.finish_reason}, ${usage.total_tokens} tokens)`;

async function collect(stream) {
  const all = [];
  for await (const item of stream) all.push(item);
  return all;
}
const words = (chunks) => chunks.filter((c) => c.choices.length).map((c) => c.choices[0].delta.content ?? "").join("|");

async function models() {
  await row("list models", async () => (await collect(client.models.list())).map((m) => m.id).join(" "));
  await row("get a model", async () => (await client.models.retrieve("gpt-small")).id);
  await row("get a model with a slash", async () => (await client.models.retrieve("gpt-team/own")).id);
  await row("a model that is not there", () => client.models.retrieve("llama"));
}

async function chats() {
  await row("chat", async () => says(await chat()));
  await row("chat with roles", async () => says(await chat({ messages: [
    { role: "developer", content: "be brief" }, { role: "user", content: "hi", name: "ann" }, { role: "assistant", content: "yes?" }, ...hello] })));
  await row("chat with parts", async () => says(await chat({ messages: [{ role: "user", content: [
    { type: "text", text: "what is this" }, { type: "image_url", image_url: { url: "https://a.example/b.png", detail: "low" } },
    { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }] }] })));
  await row("chat with options", async () => (await chat({ n: 2, stop: ["\n", "."], temperature: 0.5, seed: 7, max_completion_tokens: 10,
    logit_bias: { 50256: -100 }, metadata: { a: "b" }, user: "u" })).choices.length);
  await row("chat with a stop that is a text, and nulls", async () => says(await chat({ stop: "x", temperature: null, n: null })));
  await row("chat with tools", async () => {
    const [c] = (await chat({ tools })).choices, f = c.message.tool_calls[0].function;
    return `${f.name} ${f.arguments} (${c.finish_reason})`;
  });
  await row("chat with a tool by name", async () => (await chat({ tools, tool_choice: { type: "function", function: { name: "other" } } }))
    .choices[0].message.tool_calls[0].function.name);
  await row("chat without its tools", async () => says(await chat({ tools, tool_choice: "none" })));
  await row("chat with the output of a tool", async () => says(await chat({ messages: [
    ...hello, { role: "assistant", content: null, tool_calls: [call] }, { role: "tool", tool_call_id: "call_1", content: "rain" }] })));
  await row("chat with JSON", async () => says(await chat({ response_format: { type: "json_object" } })));
  await row("chat parsed with zod", async () => (await client.chat.completions.parse({
    model: "gpt-small", messages: hello, response_format: zodResponseFormat(Weather, "Weather") })).choices[0].message.parsed);
  await row("chat with members that are not known", async () => says(await chat({ top_k: 3, service_tier: "auto" })));
  await row("tools that the client runs", () => client.chat.completions.runTools({ model: "gpt-small", messages: hello, tools: [
    { type: "function", function: { name: "weather", function: ({ city }) => `rain in ${city}`, parse: JSON.parse, parameters: { type: "object" } } }] })
    .finalContent());
}

async function chatStreams() {
  await row("chat in a stream", async () => words(await collect(await chat({ stream: true }))));
  await row("chat in a stream, with usage", async () =>
    (await collect(await chat({ stream: true, stream_options: { include_usage: true } }))).at(-1).usage.total_tokens);
  await row("tools in a stream", async () => (await collect(await chat({ stream: true, tools })))[0].choices[0].delta.tool_calls[0].function.name);
  await row("chat in a stream, by the helper", async () => {
    const stream = client.chat.completions.stream({ model: "gpt-small", messages: hello });
    let n = 0;
    stream.on("content.delta", () => n++);
    const { choices } = await stream.finalChatCompletion();
    return `${n} deltas, ${choices[0].message.content}`;
  });
  await row("a stream that the client leaves", async () => {
    const seen = [];
    for await (const chunk of await chat({ model: "gpt-endless", stream: true })) if (seen.push(chunk) === 2) break;
    return words(seen);
  }, 2);
  await row("a stream that fails", async () => {
    const seen = [];
    try {
      for await (const chunk of await chat({ model: "gpt-broken", stream: true })) seen.push(chunk);
    } catch (e) {
      return `${words(seen)}, then ${e.constructor.name} ${e.type}: ${e.error.message}`;
    }
  }, 2);
  await row("a stream that does not begin", () => chat({ model: "llama", stream: true }));
}

async function responses() {
  const create = (more) => client.responses.create({ model: "gpt-small", input: "hello", ...more });
  await row("response", async () => (await create()).output_text);
  await row("response to items", async () => (await create({ instructions: "be brief", input: [
    { role: "user", content: "hi" },
    { type: "message", role: "user", content: [{ type: "input_text", text: "see" }, { type: "input_image", image_url: "https://a.example/b.png", detail: "low" }] },
  ] })).output_text);
  await row("response with a function", async () => {
    const [o] = (await create({ tools: [{ type: "function", name: "weather", parameters: { type: "object" }, strict: true }] })).output;
    return `${o.type} ${o.name} ${o.arguments}`;
  });
  await row("response to the output of a function", async () => (await create({ previous_response_id: "resp_1", input: [
    { type: "function_call_output", call_id: "call_1", output: "rain" }] })).output_text);
  await row("response parsed with zod", async () => (await client.responses.parse({
    model: "gpt-small", input: "hello", text: { format: zodTextFormat(Weather, "Weather") } })).output_parsed);
  await row("response in a stream", async () => (await collect(await create({ stream: true }))).map((e) => e.type.replace("response.", "")).join(" "));
  await row("response in a stream, by the helper", async () => {
    const stream = client.responses.stream({ model: "gpt-small", input: "hello" });
    const text = (await collect(stream)).filter((e) => e.type === "response.output_text.delta").map((e) => e.delta).join("|");
    return text + ", " + (await stream.finalResponse()).output_text;
  });
  const { id } = await create();
  await row("get a response", async () => (await client.responses.retrieve(id, { include: ["message.output_text.logprobs"] })).output_text, 2);
  await row("delete a response", async () => (await client.responses.delete(id)) ?? "None");
  await row("get it again", () => client.responses.retrieve(id));
}

async function embeddings() {
  const create = (input, more) => client.embeddings.create({ model: "gpt-small", input, ...more });
  await row("embedding", async () => (await create("hello")).data[0].embedding);
  await row("embeddings as numbers", async () => (await create(["a", "bcd"], { encoding_format: "float", dimensions: 2 })).data.map((e) => e.embedding));
  await row("embedding of tokens", async () => (await create([1, 2, 3])).data[0].embedding);
  await row("embeddings of lists of tokens", async () => (await create([[1, 2], [3]])).data.length);
  await row("embedding of a number", () => create(5));
}

const about = (f) => `${f.id}: ${f.filename}, ${f.bytes} bytes, ${f.purpose}, ${f.status}`;

async function files() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "openai")), file = path.join(folder, "b.jsonl");
  fs.writeFileSync(file, '{"n":1}\n');
  const create = async (body) => about(await client.files.create(body));
  await row("upload a File, the file first", () => create({ file: new File(["one"], "a.txt"), purpose: "user_data" }));
  await row("upload a File, the file last", () => create({ purpose: "user_data", file: new File(["one"], "a.txt") }));
  await row("upload a file of the disk, the file first", () => create({ file: fs.createReadStream(file), purpose: "batch" }));
  await row("upload a file that expires, in between", async () => (await client.files.create({
    purpose: "batch", file: await toFile(fs.createReadStream(file), "b.jsonl"), expires_after: { anchor: "created_at", seconds: 3600 } })).expires_at);
  await row("upload a file with a name and a type, the file first", async () =>
    create({ file: await toFile(Buffer.from("1;2"), "c.csv", { type: "text/csv" }), purpose: "assistants" }));
  await row("upload an iterable, the file first", () =>
    create({ file: toStreamingFile((async function* () { yield new TextEncoder().encode("x"); })(), "d.txt"), purpose: "vision" }));
  await row("upload an answer of fetch, the file first", async () =>
    create({ file: await toFile(await fetch("data:text/plain,hey"), "f.txt"), purpose: "vision" }));
  for (const id of ["file-d-txt", "file-f-txt"]) await row(`delete ${id}`, async () => (await client.files.delete(id)).deleted);
  await row("list files, in pages", async () => (await collect(client.files.list({ limit: 2 }))).map((f) => f.id).join(" "));
  await row("list files of a purpose", async () => (await client.files.list({ purpose: "batch", order: "desc" })).data.map((f) => f.id).join(" "));
  await row("get a file", async () => about(await client.files.retrieve("file-a-txt")));
  await row("wait for a file", async () => (await client.files.waitForProcessing("file-a-txt")).status);
  await row("read a file", async () => (await client.files.content("file-c-csv")).text());
  await row("delete a file", async () => { const d = await client.files.delete("file-a-txt"); return `${d.object} ${d.id} ${d.deleted}`; });
  await row("get it again", () => client.files.retrieve("file-a-txt"));
  await row("delete without the scope", () => as("sk-reader").files.delete("file-c-csv"));
  fs.rmSync(folder, { recursive: true });
}

async function audio() {
  const sound = () => new File(["some sound"], "s.mp3");
  const transcribe = (body) => client.audio.transcriptions.create(body);
  await row("transcription, the file first", async () => (await transcribe({ file: sound(), model: "whisper-1" })).text);
  await row("transcription, the file last", async () => (await transcribe({ model: "whisper-1", file: sound() })).text);
  await row("transcription with words, the file first", async () => {
    const t = await transcribe({ file: sound(), model: "whisper-1", response_format: "verbose_json", timestamp_granularities: ["word", "segment"], language: "de", temperature: 0 });
    return `${t.language} ${t.duration} ${t.words.map((w) => `${w.word} ${w.end}`)}`;
  });
  await row("transcription in parts, the file first", async () => {
    const texts = [];
    for (const chunking_strategy of ["auto", { type: "server_vad", threshold: 0.5 }]) texts.push((await transcribe({ file: sound(), model: "whisper-1", chunking_strategy })).text);
    return texts.join(" ");
  });
  await row("transcription in a stream, the file first", async () => (await collect(await transcribe({ file: sound(), model: "whisper-1", stream: true })))
    .map((e) => (e.type === "transcript.text.delta" ? e.delta : "= " + e.text)).join("|"));
  await row("transcription as a text, the file first", () => transcribe({ file: sound(), model: "whisper-1", response_format: "text" }));
  await row("speech", async () => (await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "hi" })).text());
  await row("speech in a stream", async () => {
    const answer = await client.audio.speech.create({ model: "tts-1", voice: "alloy", input: "hi", response_format: "wav" });
    return answer.headers.get("content-type") + ": " + Buffer.from(await answer.arrayBuffer());
  });
}

async function failures() {
  await row("a wrong key", () => collect(as("sk-wrong").models.list()));
  await row("a role that is not there", () => chat({ messages: [...hello, { role: "nobody", content: "x" }] }));
  await row("content that is a number", () => chat({ messages: [{ role: "user", content: 5 }] }));
  await row("a number that is too large", () => chat({ temperature: 3 }));
  await row("no messages", () => chat({ messages: [] }));
  await row("a path that is not there", () => client.get("/none"));
  const limits = (headers, ...names) => names.map((name) => headers.get(`x-ratelimit-${name}-requests`)).join(" ");
  await row("headers of an answer", async () => {
    const { response, request_id } = await chat().withResponse();
    return limits(response.headers, "limit", "remaining", "reset") + `, ${request_id.split("_")[0]}_`;
  });
  await row("headers of a stream", async () => {
    const response = await chat({ stream: true }).asResponse();
    await response.text();
    return `${response.headers.get("content-type")} ${limits(response.headers, "remaining")}`;
  });
  const limited = as("sk-limited", { maxRetries: 0 });
  await row("a limit", async () => {
    const left = [];
    for (let i = 0; i < 2; i++) left.push(limits((await limited.embeddings.create({ model: "gpt-small", input: "x" }).withResponse()).response.headers, "remaining"));
    return left.join(" ");
  });
  await row("beyond a limit", async () => {
    try {
      await limited.models.list();
    } catch (e) {
      return `${e.status} ${e.type} ${e.code}, after ${e.headers.get("retry-after")} s, ${limits(e.headers, "remaining")} left, ${e.requestID.split("_")[0]}_`;
    }
  });
  await row("beyond a limit, sent again", async () => {
    const ids = [];
    for (let i = 0; i < 3; i++) ids.push((await as("sk-limited").models.list()).data[0].id);
    return ids.join(" ");
  });
  await row("no quota, not sent again", () => collect(as("sk-poor").models.list()));
}

for (const part of [models, chats, chatStreams, responses, embeddings, files, audio, failures]) await part();
