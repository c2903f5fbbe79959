"""An authorization server and a resource of plain OAuth, made of Flask and joserfc, strict and without AT Protocol.

The rules are those of RFC 6749, 7009, 7636, 8252, 8414, 9126 and 9449. idpyoidc 5.0.0 does not serve here: it has PAR
and DPoP, but its `server/oauth2/add_on/dpop.py` neither gives nor checks nonces, and checks neither `iat` nor `jti`.
"""
import dataclasses
import hashlib
import re
import secrets
import threading
import time
import urllib.parse

import flask
from werkzeug.serving import make_server

import names
import proofs
import recorder

# How many seconds a pushed request and a code are good for, and how many an access token is.
MOMENT = 60
EXPIRES_IN = 600

# The client is registered with this address and any port (RFC 8252 §7.3).
REDIRECT = re.compile(r"http://127\.0\.0\.1:[0-9]{1,5}/done")
CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")

# Any public member may be in the key of a proof (RFC 9449 §4.2).
MEMBERS = proofs.MEMBERS | {"alg", "kid", "use"}


class Refusal(Exception):
    """An error code of OAuth. With it, the HTTP status at the authorization server; the resource says 401."""

    def __init__(self, error, status=400):
        super().__init__(error)
        self.error, self.status = error, status


def require(condition, error, status=400):
    if not condition:
        raise Refusal(error, status)


@dataclasses.dataclass
class Entry(recorder.Exchange):
    """A request with its answer, and the decision: an error code or what was granted."""

    decision: str = ""


@dataclasses.dataclass
class Grant:
    """One login, from the pushed request on. Its tokens end together."""

    request: dict
    key: str
    #: When the request URI expires, and after that the code.
    end: float
    is_over: bool = False


class PlainServer:
    def __init__(self, authority):
        self.journal = []
        #: What the documents say. A test may change both.
        self.metadata = metadata()
        self.token_type = "DPoP"
        self._pushed, self._codes, self._refresh_tokens, self._access_tokens = {}, {}, {}, {}
        self._spent, self._proof_ids, self._nonces = set(), set(), {}
        certificate = authority.issue([names.PLAIN, names.PLAIN_RESOURCE], file="plain")
        self._server = make_server(names.PLAIN_ADDRESS, 443, self._app(), threaded=True, ssl_context=certificate)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def stop(self):
        self._server.shutdown()
        self._server.server_close()

    def decisions(self):
        return [entry.decision for entry in self.journal]

    def _app(self):
        app = flask.Flask(__name__, static_folder=None, host_matching=True)
        app.before_request(begin)
        app.after_request(self._finish)
        app.register_error_handler(Refusal, refuse)
        # The path of the issuer stands behind the well-known one (RFC 8414 §3.1).
        app.get("/.well-known/oauth-authorization-server/tenant", host=names.PLAIN)(self._describe)
        app.post("/tenant/par", host=names.PLAIN)(self._push)
        app.get("/tenant/authorize", host=names.PLAIN)(self._authorize)
        app.post("/tenant/token", host=names.PLAIN)(self._exchange)
        app.post("/tenant/revoke", host=names.PLAIN)(self._revoke)
        app.get("/hello", host=names.PLAIN_RESOURCE)(self._greet)
        return app

    def _finish(self, response):
        """Gives the next nonce (RFC 9449 §8.2), forbids caching (RFC 6749 §5.1) and writes the journal."""
        request, given = flask.request, flask.g
        response.headers["cache-control"] = "no-store"
        if "nonce" in given:
            response.headers["dpop-nonce"] = given.nonce
        self.journal.append(
            Entry(
                given.arrived, request.host, request.method, request.environ["REQUEST_URI"], lower(request.headers),
                request.get_data(), response.status_code, lower(response.headers), response.get_data(),
                given.get("decision", ""),
            )
        )
        return response

    def _describe(self):
        return decide("metadata", self.metadata)

    def _push(self):
        """RFC 9126 §2.1, with the key that the code will be bound to (RFC 9449 §10.1)."""
        form, key = parameters(), self._proven_key()
        require("request_uri" not in form, "invalid_request")
        require(form.get("response_type") == "code", "unsupported_response_type")
        require(REDIRECT.fullmatch(form.get("redirect_uri", "")), "invalid_request")
        require(form.get("code_challenge_method") == "S256", "invalid_request")
        require(CHALLENGE.fullmatch(form.get("code_challenge", "")), "invalid_request")
        require(form.get("dpop_jkt", key) == key, "invalid_dpop_proof")
        uri = f"urn:ietf:params:oauth:request_uri:{secrets.token_urlsafe()}"
        self._pushed[uri] = Grant(form, key, time.time() + MOMENT)
        return decide("pushed", {"request_uri": uri, "expires_in": MOMENT}, 201)

    def _authorize(self):
        """The person at the browser consents at once. Nothing but the reference may come here (RFC 9126 §4)."""
        query = sorted(flask.request.args.items(multi=True))
        require([name for name, _ in query] == ["client_id", "request_uri"], "invalid_request")
        require(flask.request.args["client_id"] == names.PLAIN_CLIENT_ID, "invalid_client")
        grant = self._pushed.pop(flask.request.args["request_uri"], None)
        require(grant and time.time() < grant.end, "invalid_request_uri")
        # A person takes their time, and the nonce changes meanwhile.
        self._nonces[names.PLAIN] = secrets.token_urlsafe()
        code, grant.end = secrets.token_urlsafe(), time.time() + MOMENT
        self._codes[code] = grant
        answer = {"code": code} | {name: grant.request[name] for name in ["state"] if name in grant.request}
        return decide("code", flask.redirect(f"{grant.request['redirect_uri']}?{urllib.parse.urlencode(answer)}", 303))

    def _exchange(self):
        """The token endpoint (RFC 6749 §3.2). The answer leaves out the scope: it is the one that was asked for."""
        form, key = parameters(), self._proven_key()
        kind = form.get("grant_type")
        require(kind in self.metadata["grant_types_supported"], "unsupported_grant_type")
        grant = self._redeem_code(form, key) if kind == "authorization_code" else self._redeem_token(form, key)
        access, refresh = secrets.token_urlsafe(), secrets.token_urlsafe()
        self._access_tokens[access] = grant, time.time() + EXPIRES_IN
        self._refresh_tokens[refresh] = grant
        return decide(
            kind,
            {
                "access_token": access, "token_type": self.token_type, "expires_in": EXPIRES_IN,
                "refresh_token": refresh,
            },
        )

    def _redeem_code(self, form, key):
        grant = self._spend(self._codes, form.get("code"), key)
        verifier = form.get("code_verifier", "")
        require(time.time() < grant.end, "invalid_grant")
        require(form.get("redirect_uri") == grant.request["redirect_uri"], "invalid_grant")
        require(VERIFIER.fullmatch(verifier) and hashed(verifier) == grant.request["code_challenge"], "invalid_grant")
        return grant

    def _redeem_token(self, form, key):
        grant = self._spend(self._refresh_tokens, form.get("refresh_token"), key)
        scope = grant.request.get("scope", "")
        require(set(form.get("scope", scope).split()) <= set(scope.split()), "invalid_scope")
        return grant

    def _spend(self, known, secret, key):
        """The grant of a code or refresh token, which ends if this is the second use (RFC 6749 §4.1.2, RFC 9700)."""
        grant = known.get(secret)
        require(grant and grant.key == key, "invalid_grant")
        if secret in self._spent:
            grant.is_over = True
        self._spent.add(secret)
        require(not grant.is_over, "invalid_grant")
        return grant

    def _revoke(self):
        """RFC 7009 §2: a refresh token ends its access tokens too, and an unknown token is no error."""
        token = parameters().get("token")
        require(token, "invalid_request")
        self._access_tokens.pop(token, None)
        if grant := self._refresh_tokens.get(token):
            grant.is_over = True
        return decide("revoked", "")

    def _greet(self):
        """The resource (RFC 9449 §7)."""
        scheme, _, token = flask.request.headers.get("authorization", "").partition(" ")
        require(scheme.lower() == "dpop", "invalid_token")
        key = self._proven_key(token)
        grant, end = self._access_tokens.get(token, (None, 0))
        require(grant and not grant.is_over and time.time() < end and grant.key == key, "invalid_token")
        return decide("greeted", {"hello": names.PLAIN_CLIENT_ID})

    def _proven_key(self, token=None):
        """The thumbprint of the key of the request's proof (RFC 9449 §4.3). A nonce is good for one request."""
        request = flask.request
        sent = request.headers.getlist("dpop")
        require(len(sent) == 1, "invalid_dpop_proof")
        try:
            key, claims = proofs.verify(sent[0], request.method, request.base_url, flask.g.arrived, token, MEMBERS)
        except (proofs.Refused, ValueError) as error:
            raise Refusal("invalid_dpop_proof") from error
        require(claims["jti"] not in self._proof_ids, "invalid_dpop_proof")
        self._proof_ids.add(claims["jti"])
        wanted, flask.g.nonce = self._nonces.get(request.host), secrets.token_urlsafe()
        self._nonces[request.host] = flask.g.nonce
        require(wanted and claims.get("nonce") == wanted, "use_dpop_nonce")
        return key


def metadata():
    """RFC 8414 §2, with nothing that can be left out."""
    endpoints = {
        "authorization_endpoint": "authorize", "token_endpoint": "token", "revocation_endpoint": "revoke",
        "pushed_authorization_request_endpoint": "par",
    }
    return {
        "issuer": names.PLAIN_ISSUER,
        **{name: f"{names.PLAIN_ISSUER}/{path}" for name, path in endpoints.items()},
        "require_pushed_authorization_requests": True,
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none"],
        "dpop_signing_alg_values_supported": ["ES256"],
    }


def begin():
    # The journal needs the bytes, which Flask forgets once it has read a form.
    flask.request.get_data()
    flask.g.arrived = time.time()


def parameters():
    """The form of a registered client's request, each parameter once (RFC 6749 §3.2)."""
    request = flask.request
    require(request.mimetype == "application/x-www-form-urlencoded", "invalid_request")
    require(all(len(values) == 1 for _, values in request.form.lists()), "invalid_request")
    require(request.form.get("client_id") == names.PLAIN_CLIENT_ID, "invalid_client", 401)
    return {name: value for name, value in request.form.items() if value}


def decide(decision, *answer):
    flask.g.decision = decision
    return answer if len(answer) > 1 else answer[0]


def refuse(refusal):
    """RFC 6749 §5.2; at the resource RFC 9449 §7.1, where only the header says why."""
    if flask.request.host == names.PLAIN_RESOURCE:
        return decide(refusal.error, "", 401, {"www-authenticate": f'DPoP error="{refusal.error}", algs="ES256"'})
    return decide(refusal.error, {"error": refusal.error}, refusal.status)


def hashed(verifier):
    """RFC 7636 §4.2."""
    return proofs.encode(hashlib.sha256(verifier.encode()).digest())


def lower(headers):
    return [(name.lower(), value) for name, value in headers]
