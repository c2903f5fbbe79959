"""Run by schemathesis: gives its requests a session, and its exchanges a code (test_openapi.py)."""
import json
import os
import types

import schemathesis

from test_openapi import START, TOKENS, parts

FACTS = json.loads(os.environ["BSKYAUTH_TEST_FACTS"])


class RunningServer(parts.Server):
    """The server that the test has started."""

    def __init__(self):
        self.port, self.base = FACTS["port"], parts.OTHER_BASE
        self.sandbox = types.SimpleNamespace(dids=FACTS["dids"])


class ExampleApp(parts.App):
    """An app whose logins are those of the document's example."""

    def __init__(self):
        super().__init__(RunningServer(), START["redirect"])
        self.verifier = TOKENS["code_verifier"]

    def start(self, handle, path="/api/auth/start"):
        return self.post(path, START | {"handle": handle})

    def renewed(self):
        """A session with two accounts. It is a new one if the last one has ended."""
        if self.session is None or self.send("GET", "/api/auth/session").status != 200:
            self.session = None
            self.log_in("alice.test")
            self.log_in("bob.test")
        return self.session


app = ExampleApp()

if FACTS["authenticated"]:
    @schemathesis.auth(refresh_interval=None)
    class Session:
        """Marks the requests that have a session. Each gets it when it is sent, long after it was made."""

        def get(self, case, context):
            return "Bearer SESSION"

        def set(self, case, data, context):
            case.headers["Authorization"] = data


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.headers.get("Authorization") == "Bearer SESSION":
        case.headers["Authorization"] = f"Bearer {app.renewed()}"
    # The code of the example stands for one that a login has just given.
    if case.operation.path == "/api/auth/tokens" and case.body == TOKENS:
        case.body = TOKENS | {"code": ExampleApp().code("alice.test")}


@schemathesis.hook
def after_call(context, case, response):
    with open(FACTS["answers"], "a") as file:
        file.write(f"{case.operation.label} {response.status_code}\n")
