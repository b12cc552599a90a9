"""Sends and receives a photo with the Python clients that openapi-generator and
openapi-python-client make.

    python photos.py URL
"""

import sys
from io import BytesIO

import openapi_photos as og
from python_photos import Client
from python_photos.api.default import photos_get_photo, photos_set_photo
from python_photos.types import File

url = sys.argv[1]
photo = b"\x89PNG\r\n"

api = og.DefaultApi(og.ApiClient(og.Configuration(host=url)))
assert api.photos_set_photo("47", photo).size == len(photo)
assert api.photos_get_photo("47") == photo
assert api.photos_get_photo("47", range="bytes=1-3") == b"PNG"
try:
    api.photos_get_photo("48")
    raise AssertionError("there is a photo that nobody sent")
except og.exceptions.NotFoundException as err:
    assert err.data.error.code == "NOT_FOUND"
print("openapi-generator python: a file made its round trip")

client = Client(base_url=url)
assert photos_set_photo.sync("57", client=client, body=File(payload=BytesIO(photo))).size == len(photo)
assert photos_get_photo.sync("57", client=client).payload.read() == photo
part = photos_get_photo.sync_detailed("57", client=client, range_="bytes=1-3")
assert part.status_code == 206 and part.parsed.payload.read() == b"PNG", part
assert photos_get_photo.sync("58", client=client).error.code == "NOT_FOUND"
print("openapi-python-client: a file made its round trip")
