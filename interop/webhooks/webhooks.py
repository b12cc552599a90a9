"""Does the same as webhooks.cjs, with the package for Python."""

import json
import sys
from datetime import datetime, timezone

from standardwebhooks import Webhook

for line in sys.stdin:
    message = json.loads(line)
    if sign := message.get("sign"):
        time = datetime.fromtimestamp(sign["time"], timezone.utc)
        answer = Webhook(sign["secret"]).sign(sign["id"], time, sign["body"])
    else:
        verify = message["verify"]
        try:
            Webhook(verify["secret"]).verify(verify["body"], verify["headers"])
            answer = "ok"
        except Exception as err:
            answer = str(err).split("\n")[0] or type(err).__name__
    print(answer, flush=True)
