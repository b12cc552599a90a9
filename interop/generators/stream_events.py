"""Reads streams of the kitchen sink as the models of their events that
datamodel-code-generator makes of the itemSchema in the OpenAPI 3.2 document.

    python stream_events.py URL
"""

import sys
from pathlib import Path
from typing import get_args
from urllib.request import Request, urlopen

import events as models
from pydantic import ValidationError

url = sys.argv[1]


def read(path, body=None):
    """Returns the events of a stream as objects of their fields."""
    with urlopen(Request(url + path, body, {"Content-Type": "application/json"}), timeout=60) as answer:
        assert answer.headers["Content-Type"].startswith("text/event-stream"), answer.headers
        text = answer.read().decode()
    events = []
    for block in text.split("\n\n"):
        fields = (line.partition(":") for line in block.splitlines())
        event = {name: value.removeprefix(" ") for name, _, value in fields if name}  # the others are comments
        if event:
            events.append(event)
    return events


def check(path, stream):
    """Holds a stream to its model: items with data of a type of their own, then done."""
    events = read(path)
    assert len(events) > 1, events
    typed = stream.model_validate(events).root
    kinds = get_args(get_args(stream.model_fields["root"].annotation)[0])
    assert len(kinds) == 3, kinds  # no kind for everything else
    item, done, error = kinds
    for event in typed[:-1]:
        schema = item.model_fields["data"].json_schema_extra["contentSchema"]
        inner = getattr(models, schema["$ref"].rpartition("/")[2])
        assert inner is models.Inner and inner.model_validate_json(event.data).id == 1, event
    assert isinstance(done.model_validate(events[-1]), done), events[-1]
    for kind, event in (done, events[0]), (error, events[0]), (error, events[-1]):
        try:
            kind.model_validate(event)
            raise AssertionError(f"{event} is taken for {kind}")
        except ValidationError:
            pass


# Each alternative of a union is the model of its type, in a stream too.
choices = Path("choices.json").read_bytes()
typed = models.Choices.model_validate_json(choices)
kinds = [type(c.root).__name__ for c in [typed.one, *typed.list_, *typed.byName.values()]]
assert kinds == ["ChoiceText", "ChoiceNumber", "ChoiceNested", "ChoiceNone", "ChoiceNested"], kinds
items = read("/sinks/watch_choices", choices)[:-1]
schema = get_args(get_args(models.SinksWatchChoicesPostResponse.model_fields["root"].annotation)[0])[0].model_fields["data"].json_schema_extra["contentSchema"]
assert schema["$ref"].endswith("/Choice"), schema
streamed = [type(models.Choice1.model_validate_json(item["data"]).root).__name__ for item in items]
assert streamed == kinds[1:4], streamed

check("/sinks/watch", models.SinksWatchGetResponse)
check("/sinks/7/follow", models.SinksIdFollowGetResponse)
print("datamodel-code-generator: models of the events of two streams, by itemSchema; items and done were told apart")
