"""Reads streams of the kitchen sink as the models of their events that
datamodel-code-generator makes of the itemSchema in the OpenAPI 3.2 document.

    python stream_events.py URL
"""

import sys
from typing import get_args
from urllib.request import urlopen

import events as models
from pydantic import ValidationError

url = sys.argv[1]


def read(path):
    """Returns the events of a stream as objects of their fields."""
    with urlopen(url + path, timeout=10) as answer:
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


check("/sinks/watch", models.SinksWatchGetResponse)
check("/sinks/7/follow", models.SinksIdFollowGetResponse)
print("datamodel-code-generator: models of the events of two streams, by itemSchema; items and done were told apart")
