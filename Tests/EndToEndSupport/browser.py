#!/usr/bin/env python3
"""A person at a browser: opens the authorization URL, signs in and decides, through the HTML pages.

BSKYAUTH_TEST_BROWSER says how: accept (the default), reject, close (opens nothing), or
`as HANDLE` to sign in as somebody else. A redirect to a page of a client's own is handed on as that page does it. A last word `keep` prints the redirect URL to the file
named by BSKYAUTH_TEST_REDIRECT instead of following it. BSKYAUTH_TEST_DUMP names a file for what this
process was started with.
"""
import html.parser
import http.cookiejar
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request


class Form(html.parser.HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.fields = {}
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "input" and attributes.get("name"):
            self.fields[attributes["name"]] = attributes.get("value") or ""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *arguments):
        return None


def handed_on(redirect):
    """Where the page of a client's own sends the browser: to the port that the state names."""
    parts = urllib.parse.urlsplit(redirect)
    if parts.scheme != "https":
        return redirect
    answer = dict(urllib.parse.parse_qsl(parts.fragment or parts.query))
    port = answer["state"].split(".")[0]
    return f"http://127.0.0.1:{port}/callback?" + urllib.parse.urlencode(answer)


def opener():
    return urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()),
        NoRedirect(),
    )


def approve(url, handle=None, decision="accept", browser=None):
    """Signs in at the page and decides. Returns where the browser is sent. Without a handle, the page's own is taken."""
    browser = browser or opener()
    origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlsplit(url))

    def post(path, fields):
        return browser.open(origin + path, urllib.parse.urlencode(fields).encode())

    sign_in = Form(browser.open(url).read().decode())
    sign_in.fields["password"] = "hunter2"
    if handle:
        sign_in.fields["username"] = handle
    consent = Form(post("/oauth/authorize/sign-in", sign_in.fields).read().decode())
    consent.fields["decision"] = decision
    try:
        post("/oauth/authorize/consent", consent.fields)
    except urllib.error.HTTPError as answer:
        return answer.headers["location"]
    sys.exit("the consent page did not redirect")


def main():
    if os.environ.get("BSKYAUTH_TEST_DUMP"):
        with open(os.environ["BSKYAUTH_TEST_DUMP"], "w") as file:
            json.dump({"arguments": sys.argv, "environment": dict(os.environ)}, file)
    behaviour = os.environ.get("BSKYAUTH_TEST_BROWSER", "accept").split()
    if behaviour[0] == "close":
        return
    browser = opener()
    redirect = approve(
        sys.argv[-1], behaviour[1] if behaviour[0] == "as" else None,
        "reject" if behaviour[0] == "reject" else "accept", browser)
    if behaviour[-1] == "keep":
        with open(os.environ["BSKYAUTH_TEST_REDIRECT"], "w") as file:
            file.write(redirect)
        return
    try:
        page = browser.open(handed_on(redirect)).read().decode()
    except urllib.error.HTTPError as answer:
        page = answer.read().decode()
    except urllib.error.URLError:
        # cocoon sends a rejection to http://localhost, where nobody listens.
        return
    if os.environ.get("BSKYAUTH_TEST_PAGE"):
        with open(os.environ["BSKYAUTH_TEST_PAGE"], "w") as file:
            file.write(page)


if __name__ == "__main__":
    main()
