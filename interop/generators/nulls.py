"""Holds the null of the document to nulls.json with openapi-schema-validator.

    python nulls.py FILE
"""

import json
import sys

from openapi_schema_validator import OAS30Validator

with open(sys.argv[1]) as file:
    document = json.load(file)
with open("nulls.json") as file:
    cases = json.load(file)
values = failed = 0
for case in cases:
    place = f"{case['schema']}/properties/{case['property']}"
    schema = {"allOf": [{"$ref": f"#/components/schemas/{place}"}], "components": document["components"]}
    validator = OAS30Validator(schema)
    for key, want in ("accept", True), ("reject", False):
        for value in case[key]:
            values += 1
            if validator.is_valid(value) != want:
                failed += 1
                print(f"FAILED: openapi-schema-validator: {place}: not to {key} {value!r}")
print(f"openapi-schema-validator: {values} values, null among them")
sys.exit(failed > 0)
