"""What the Python clients send to the kitchen, and what they must be able to resolve."""

import copy

from jsonschema import Draft202012Validator

ADA = {"name": "Ada", "street": "1 High Street", "city": "Bath", "land": "GB"}
ORDER = {"billing": ADA, "lines": [{"sender": ADA, "product": "p", "count": 1}], "parts": [{"billing": ADA, "lines": []}]}
WRONG = copy.deepcopy(ORDER)
WRONG["parts"][0]["billing"]["land"] = "Great Britain"
WRONG_AT = "/parts/0/billing/land"


def follow(schema, defs):
    """How many $refs are in schema, each of which must be of a type in defs."""
    if isinstance(schema, list):
        return sum(follow(item, defs) for item in schema)
    if not isinstance(schema, dict):
        return 0
    ref = schema.get("$ref")
    assert ref is None or ref.removeprefix("#/$defs/") in defs, ref
    return (ref is not None) + sum(follow(item, defs) for key, item in schema.items())


def check_refs(tools, expected=10):
    """tools are the schemas of the inputs and of the outputs as a client lists them, of which
    expected have $refs: half of 10 where a client has inputs only."""
    schemas = [schema for tool in tools for schema in tool if schema]
    with_refs = [schema for schema in schemas if follow(schema, schema.get("$defs", {}))]
    assert len(tools) == 41 and len(with_refs) == expected, (len(tools), len(with_refs))
    orders = [schema for schema in with_refs if "Order" in schema["$defs"]]
    assert len(orders) == expected // 5, orders
    for schema in orders:
        assert Draft202012Validator(schema).is_valid(ORDER)
    assert not Draft202012Validator(orders[0]).is_valid(WRONG)  # of the input
