"""Calls the kitchen sink with the Python clients that openapi-generator and
openapi-python-client made of its document.

    python clients.py URL
"""

import json
import sys
from pathlib import Path

import openapi_client as og
import python_client.models as models
from python_client import Client
from python_client.types import UNSET
from python_client.api.default import (
    sinks_create,
    sinks_delete,
    sinks_answer,
    sinks_echo_choices,
    sinks_echo_letter,
    sinks_echo_tree,
    sinks_get,
    sinks_list,
    sinks_seek,
    sinks_update,
)

url = sys.argv[1]

# What both send.
numbers = {
    "int": 2**31 - 1, "int8": -128, "int16": 2**15 - 1, "int32": -(2**31), "int64": -(2**63),
    "uint": 1, "uint8": 255, "uint16": 2**16 - 1, "uint32": 2**32 - 1, "uint64": 2**64 - 1,
    "float32": 1.5, "float64": 0.1, "number": 2.5, "bool": True,
}
location = "/sinks/65536"
choices = json.loads(Path("choices.json").read_text())
letter = json.loads(Path("letter.json").read_text())


def call_openapi_generator():
    api = og.DefaultApi(og.ApiClient(og.Configuration(host=url)))
    created = api.sinks_create_with_http_info(og.Numbers.from_dict(numbers))
    assert created.status_code == 201 and created.headers["Location"] == location, created
    assert created.data.to_dict() == numbers, created
    assert api.sinks_get("7").id == 7
    try:
        api.sinks_get("0")
        raise AssertionError("get finds what is not there")
    except og.exceptions.NotFoundException as err:
        assert err.data.error.code == "NOT_FOUND"
    page = api.sinks_list(required="x", text="ab", limit=5, tag=["a", "b"])
    assert page.data[0].id == 5 and page.data[0].name == "ab"
    body = og.UpdateBody(name="saw", inner=og.Inner(id=3), tags=["t"])
    updated = api.sinks_update("a1", body)
    assert updated.id == "a1" and updated.inner.id == 3 and updated.tags == ["t"]
    api.sinks_delete("7")
    echo = api.sinks_echo_tree(og.Tree(value=1, right=og.Tree(value=2, right=None)))
    assert echo.right.value == 2 and echo.right.right is None
    chosen = api.sinks_echo_choices(og.Choices.from_dict(choices))
    assert chosen.to_dict() == choices, chosen
    assert isinstance(chosen.list[1].actual_instance.parts[1].actual_instance, og.ChoiceText), chosen
    echoed = api.sinks_echo_letter(og.Letter.from_dict(letter))
    assert json.loads(echoed.to_json()) == letter and echoed.more[1].actual_instance[0].id == 2, echoed
    assert api.sinks_answer(og.Question(text="a b")).count == 2
    api = og.DefaultApi(og.ApiClient(og.Configuration(host=url), cookie="session=a1; page=2"))  # which its methods do not send
    sifted = api.sinks_sift_with_http_info("north", -5, "a1", 2, og.SiftBody(note="n"), x_wide=2**62)
    assert sifted.data.note == "n" and sifted.headers["X-Region"] == "north" and sifted.headers["X-Wide"] == str(2**62), sifted
    print("openapi-generator python: create, get, list, update, delete, headers, null and unions made their round trip")


def call_openapi_python_client():
    client = Client(base_url=url)
    created = sinks_create.sync_detailed(client=client, body=models.Numbers.from_dict(numbers))
    assert created.status_code == 201 and created.headers["Location"] == location, created
    assert created.parsed.to_dict() == numbers, created
    assert sinks_get.sync("7", client=client).id == 7
    missing = sinks_get.sync_detailed("0", client=client)
    assert missing.status_code == 404 and missing.parsed.error.code == "NOT_FOUND", missing
    page = sinks_list.sync(client=client, required="x", text="ab", limit=5, tag=["a", "b"])
    assert page.data[0].id == 5 and page.data[0].name == "ab", page
    body = models.UpdateBody(name="saw", inner=models.Inner(id=3), tags=["t"])
    updated = sinks_update.sync("a1", client=client, body=body)
    assert updated.id == "a1" and updated.inner.id == 3 and updated.tags == ["t"], updated
    assert sinks_delete.sync_detailed("7", client=client).status_code == 204
    echo = sinks_echo_tree.sync(client=client, body=models.Tree(value=1, right=models.Tree(value=2, right=None)))
    assert echo.right.value == 2 and echo.right.right is None, echo
    sent = models.Choices.from_dict(choices)
    sent.one = models.ChoiceText(type_=models.ChoiceTextType.TEXT, id=1, value="a", color=models.ChoiceTextColor.RED)
    chosen = sinks_echo_choices.sync(client=client, body=sent)
    assert chosen.to_dict() == choices and isinstance(chosen.list_[1].parts[1], models.ChoiceText), chosen
    echoed = sinks_echo_letter.sync(client=client, body=models.Letter.from_dict(letter))
    assert echoed.to_dict() == letter and echoed.more[1][0].id == 2, echoed
    assert sinks_answer.sync(client=client, body=models.Question(text="a b")).count == 2
    sought = sinks_seek.sync(client=client, x_tenant="acme", x_trace=7, theme=models.SinksSeekTheme.DARK, visits=UNSET)
    assert sought.id == 1, sought
    wrong = sinks_seek.sync_detailed(client=client, x_tenant="Acme", x_trace=0, visits=UNSET)
    places = [(v.in_, v.path) for v in wrong.parsed.error.details.violations]
    assert places == [("header", "/X-Tenant"), ("header", "/X-Trace")], places
    print("openapi-python-client: create, get, list, update, delete, headers, cookies, null and unions made their round trip")


call_openapi_generator()
call_openapi_python_client()
