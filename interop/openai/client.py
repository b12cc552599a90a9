"""Calls the service with the official client for Python, and prints a row for each call."""

import asyncio
import io
import json
import pathlib
import sys
import tempfile
import urllib.request

import openai
from openai import AsyncOpenAI, OpenAI
from pydantic import BaseModel

url = sys.argv[1]
client = OpenAI(base_url=url + "/v1", api_key="sk-all", timeout=60)
tools = [{"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]
hello = [{"role": "user", "content": "hello"}]
call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Paris"}'}}


class Weather(BaseModel):
    city: str
    degrees: int


def row(name, make, min=0):
    """Makes a call and prints what it got and what has arrived."""
    try:
        got = make()
    except openai.APIStatusError as e:
        got = f"{type(e).__name__} {e.status_code} {e.type} {e.code or '-'} {e.param or '-'}: {e.body['message']}"
    except openai.APIError as e:
        got = f"{type(e).__name__}: {e.message}"
    with urllib.request.urlopen(f"{url}/calls?min={min}") as answer:
        calls = json.load(answer)
    text = got if isinstance(got, str) else json.dumps(got, separators=(",", ":"))
    print(json.dumps({"name": name, "got": text, "calls": calls or []}), flush=True)


def chat(model="gpt-small", messages=hello, **more):
    return client.chat.completions.create(model=model, messages=messages, **more)


def says(completion):
    c = completion.choices[0]
    return f"{c.message.content} ({c.finish_reason}, {completion.usage.total_tokens} tokens)"


def words(stream):
    return "|".join(c.choices[0].delta.content or "" for c in stream if c.choices)


def models():
    row("list models", lambda: " ".join(m.id for m in client.models.list()))
    row("get a model", lambda: client.models.retrieve("gpt-small").id)
    row("get a model with a slash", lambda: client.models.retrieve("gpt-team/own").id)
    row("a model that is not there", lambda: client.models.retrieve("llama"))


def chats():
    row("chat", lambda: says(chat()))
    row("chat with roles", lambda: says(chat(messages=[
        {"role": "developer", "content": "be brief"}, {"role": "user", "content": "hi", "name": "ann"},
        {"role": "assistant", "content": "yes?"}, *hello])))
    row("chat with parts", lambda: says(chat(messages=[{"role": "user", "content": [
        {"type": "text", "text": "what is this"}, {"type": "image_url", "image_url": {"url": "https://a.example/b.png", "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}]}])))
    row("chat with options", lambda: len(chat(n=2, stop=["\n", "."], temperature=0.5, seed=7, max_completion_tokens=10,
                                              logit_bias={"50256": -100}, metadata={"a": "b"}, user="u").choices))
    row("chat with a stop that is a text, and nulls", lambda: says(chat(stop="x", temperature=None, n=None)))
    row("chat with tools", lambda: (lambda c: f"{c.message.tool_calls[0].function.name} {c.message.tool_calls[0].function.arguments} ({c.finish_reason})")
        (chat(tools=tools).choices[0]))
    row("chat with a tool by name", lambda: chat(tools=tools, tool_choice={"type": "function", "function": {"name": "other"}})
        .choices[0].message.tool_calls[0].function.name)
    row("chat without its tools", lambda: says(chat(tools=tools, tool_choice="none")))
    row("chat with the output of a tool", lambda: says(chat(messages=[
        *hello, {"role": "assistant", "content": None, "tool_calls": [call]}, {"role": "tool", "tool_call_id": "call_1", "content": "rain"}])))
    row("chat with JSON", lambda: says(chat(response_format={"type": "json_object"})))
    row("chat parsed", lambda: repr(client.chat.completions.parse(model="gpt-small", messages=hello, response_format=Weather)
                                    .choices[0].message.parsed))
    row("chat with members that are not known", lambda: says(chat(extra_body={"top_k": 3}, service_tier="auto")))


def chat_streams():
    row("chat in a stream", lambda: words(chat(stream=True)))
    row("chat in a stream, with usage", lambda: list(chat(stream=True, stream_options={"include_usage": True}))[-1].usage.total_tokens)
    row("tools in a stream", lambda: next(iter(chat(stream=True, tools=tools))).choices[0].delta.tool_calls[0].function.name)

    def helper():
        with client.chat.completions.stream(model="gpt-small", messages=hello) as stream:
            types = [e.type for e in stream]
            return f"{types.count('content.delta')} deltas, {stream.get_final_completion().choices[0].message.content}"
    row("chat in a stream, by the helper", helper)

    def left():
        with chat(model="gpt-endless", stream=True) as stream:
            return words([next(stream), next(stream)])
    row("a stream that the client leaves", left, 2)

    def broken():
        seen = []
        try:
            for chunk in chat(model="gpt-broken", stream=True):
                seen.append(chunk)
        except openai.APIError as e:
            return f"{words(seen)}, then {type(e).__name__} {e.type}: {e.message}"
    row("a stream that fails", broken, 2)
    row("a stream that does not begin", lambda: chat(model="llama", stream=True))

    async def in_async():
        async with AsyncOpenAI(base_url=url + "/v1", api_key="sk-all") as each:
            stream = await each.chat.completions.create(model="gpt-small", messages=hello, stream=True)
            return "|".join([c.choices[0].delta.content or "" async for c in stream])
    row("chat in a stream, async", lambda: asyncio.run(in_async()))


def responses():
    create = client.responses.create
    row("response", lambda: create(model="gpt-small", input="hello").output_text)
    row("response to items", lambda: create(model="gpt-small", instructions="be brief", input=[
        {"role": "user", "content": "hi"},
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "see"}, {"type": "input_image", "image_url": "https://a.example/b.png", "detail": "low"}]},
    ]).output_text)
    functions = [{"type": "function", "name": "weather", "parameters": {"type": "object"}, "strict": True}]
    row("response with a function", lambda: (lambda o: f"{o.type} {o.name} {o.arguments}")(create(model="gpt-small", input="hello", tools=functions).output[0]))
    row("response to the output of a function", lambda: create(model="gpt-small", previous_response_id="resp_1", input=[
        {"type": "function_call_output", "call_id": "call_1", "output": "rain"}]).output_text)
    row("response parsed", lambda: repr(client.responses.parse(model="gpt-small", input="hello", text_format=Weather).output_parsed))
    row("response in a stream", lambda: " ".join(e.type.removeprefix("response.") for e in create(model="gpt-small", input="hello", stream=True)))

    def helper():
        with client.responses.stream(model="gpt-small", input="hello") as stream:
            text = "|".join(e.delta for e in stream if e.type == "response.output_text.delta")
            return text + ", " + stream.get_final_response().output_text
    row("response in a stream, by the helper", helper)
    made = create(model="gpt-small", input="hello").id
    row("get a response", lambda: client.responses.retrieve(made, include=["message.output_text.logprobs"]).output_text, 2)
    row("delete a response", lambda: str(client.responses.delete(made)))
    row("get it again", lambda: client.responses.retrieve(made))


def embeddings():
    create = client.embeddings.create
    row("embedding", lambda: create(model="gpt-small", input="hello").data[0].embedding)
    row("embeddings as numbers", lambda: [e.embedding for e in create(model="gpt-small", input=["a", "bcd"], encoding_format="float", dimensions=2).data])
    row("embedding of tokens", lambda: create(model="gpt-small", input=[1, 2, 3]).data[0].embedding)
    row("embeddings of lists of tokens", lambda: len(create(model="gpt-small", input=[[1, 2], [3]]).data))
    row("embedding of a number", lambda: create(model="gpt-small", input=5))


def about(f):
    return f"{f.id}: {f.filename}, {f.bytes} bytes, {f.purpose}, {f.status}"


def files():
    row("upload bytes, the file last", lambda: about(client.files.create(file=("a.txt", b"one"), purpose="user_data")))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "b.jsonl")
        path.write_text('{"n":1}\n')
        row("upload a file of the disk", lambda: about(client.files.create(file=path, purpose="batch")))
        with open(path, "rb") as f:
            row("upload an open file that expires", lambda: client.files.create(
                file=f, purpose="batch", expires_after={"anchor": "created_at", "seconds": 3600}).expires_at)
    row("upload a file with a name and a type", lambda: about(client.files.create(file=("c.csv", io.BytesIO(b"1;2"), "text/csv"), purpose="assistants")))
    row("upload an empty file", lambda: client.files.create(file=("e.txt", b""), purpose="user_data"))
    row("upload for no purpose", lambda: client.files.create(file=("e.txt", b"x"), purpose="fun"))
    row("list files, in pages", lambda: " ".join(f.id for f in client.files.list(limit=2)))
    row("list files of a purpose", lambda: " ".join(f.id for f in client.files.list(purpose="batch", order="desc")))
    row("get a file", lambda: about(client.files.retrieve("file-a-txt")))
    row("wait for a file", lambda: client.files.wait_for_processing("file-a-txt").status)
    row("read a file", lambda: client.files.content("file-c-csv").text)
    row("delete a file", lambda: (lambda d: f"{d.object} {d.id} {str(d.deleted).lower()}")(client.files.delete("file-a-txt")))
    row("get it again", lambda: client.files.retrieve("file-a-txt"))
    row("delete without the scope", lambda: client.with_options(api_key="sk-reader").files.delete("file-c-csv"))


def audio():
    transcribe = client.audio.transcriptions.create
    speech = ("s.mp3", b"some sound")
    row("transcription, the file last", lambda: transcribe(model="whisper-1", file=speech).text)
    row("transcription with words", lambda: (lambda t: f"{t.language} {t.duration} {','.join(f'{w.word} {w.end}' for w in t.words)}")(transcribe(
        model="whisper-1", file=speech, response_format="verbose_json", timestamp_granularities=["word", "segment"], language="de", temperature=0)))
    row("transcription in parts", lambda: " ".join(transcribe(model="whisper-1", file=speech, chunking_strategy=how).text for how in (
        "auto", {"type": "server_vad", "threshold": 0.5})))
    row("transcription in a stream", lambda: "|".join(e.delta if e.type == "transcript.text.delta" else "= " + e.text
                                                      for e in transcribe(model="whisper-1", file=speech, stream=True)))
    row("transcription as a text", lambda: transcribe(model="whisper-1", file=speech, response_format="text"))
    row("speech", lambda: client.audio.speech.create(model="tts-1", voice="alloy", input="hi").read().decode())

    def streamed():
        with client.audio.speech.with_streaming_response.create(model="tts-1", voice="alloy", input="hi", response_format="wav") as answer:
            return answer.headers["content-type"] + ": " + b"".join(answer.iter_bytes()).decode()
    row("speech in a stream", streamed)


def failures():
    row("a wrong key", lambda: client.with_options(api_key="sk-wrong").models.list())
    row("a role that is not there", lambda: chat(messages=[*hello, {"role": "nobody", "content": "x"}]))
    row("content that is a number", lambda: chat(messages=[{"role": "user", "content": 5}]))
    row("a number that is too large", lambda: chat(temperature=3))
    row("no messages", lambda: chat(messages=[]))
    row("a path that is not there", lambda: client.get("/none", cast_to=object))
    raw = client.chat.completions.with_raw_response.create(model="gpt-small", messages=hello)
    row("headers of an answer", lambda: " ".join(raw.headers[f"x-ratelimit-{h}-requests"] for h in ("limit", "remaining", "reset"))
        + f", {raw.parse()._request_id.split('_')[0]}_", 1)

    def of_stream():
        with client.chat.completions.with_streaming_response.create(model="gpt-small", messages=hello, stream=True) as answer:
            return f"{answer.headers['content-type']} {answer.headers['x-ratelimit-remaining-requests']}"
    row("headers of a stream", of_stream)

    limited = client.with_options(api_key="sk-limited", max_retries=0)
    row("a limit", lambda: " ".join(limited.embeddings.with_raw_response.create(model="gpt-small", input="x").headers["x-ratelimit-remaining-requests"] for _ in range(2)))

    def refused():
        try:
            limited.models.list()
        except openai.RateLimitError as e:
            return f"{e.status_code} {e.type} {e.code}, after {e.response.headers['retry-after']} s, {e.response.headers['x-ratelimit-remaining-requests']} left, {e.request_id.split('_')[0]}_"
    row("beyond a limit", refused)
    limited = client.with_options(api_key="sk-limited")
    row("beyond a limit, sent again", lambda: " ".join(limited.models.list().data[0].id for _ in range(3)))
    row("no quota, not sent again", lambda: client.with_options(api_key="sk-poor").models.list())


for part in models, chats, chat_streams, responses, embeddings, files, audio, failures:
    part()
