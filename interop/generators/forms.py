"""Sends forms, with a file and without, with the Python clients that openapi-generator and
openapi-python-client make.

    python forms.py URL
"""

import sys
from io import BytesIO

import openapi_forms as og
from python_forms import Client
from python_forms.api.default import forms_attach, forms_order
from python_forms.models import AttachmentForm, OrderForm
from python_forms.types import File

url = sys.argv[1]
title, tags, content = "Käse & Brot", ["a b", "c=d"], "one\r\n--two"

api = og.DefaultApi(og.ApiClient(og.Configuration(host=url)))
seen = api.forms_order(title, tags=tags, count=3, gift=True)
assert (seen.title, seen.tags, seen.count, seen.gift) == (title, tags, 3, True), seen
seen = api.forms_attach(title, ("a.txt", content.encode()))
assert (seen.title, seen.file) == (title, content), seen
print("openapi-generator python: forms were read")

# This client sends optional fields behind the file, so it sends none with one.
client = Client(base_url=url)
seen = forms_order.sync(client=client, body=OrderForm(title=title, tags=tags, count=3, gift=True))
assert (seen.title, seen.tags, seen.count, seen.gift) == (title, tags, 3, True), seen
file = File(payload=BytesIO(content.encode()), file_name="a.txt")
seen = forms_attach.sync(client=client, body=AttachmentForm(title=title, file=file))
assert (seen.title, seen.file) == (title, content), seen
print("openapi-python-client: forms were read")
