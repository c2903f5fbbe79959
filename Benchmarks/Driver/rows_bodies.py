"""Many pages, and a blob of 100 MB."""
import json
import os

from measuring import CommandFailed, in_turns
from network import Home, Network
from report import BYTES, COUNT, Budget, Line, compared

PAGES = 200
BLOB = 100_000_000
LARGEST = 64_000_000


def pages(bench):
    """200 pages, read by one `call --paginate`, by 200 curls, and by one curl."""
    with Network(bench.sandbox, accounts=["alice.test"]) as network:
        home = Home(bench.program, bench.memory / "pages", network)
        home.log_in("alice.test")
        fill(home)
        query = ["com.atproto.repo.listRecords", "repo=alice.test", "collection=app.bsky.feed.post", "limit=2"]
        command = home.command("call", *query, "--paginate")
        urls = []

        def read():
            urls.append(f"{network.address}/xrpc/{query[0]}?{'&'.join(query[1:])}")
            for line in home.run(*command[1:]).splitlines():
                if cursor := json.loads(line).get("cursor"):
                    urls.append(f"{urls[0]}&cursor={cursor}")

        asked = network.requests_of(read)
        yield Line("200 pages", "requests", COUNT, len(asked), budget=Budget.exactly(PAGES))

        def prepared(name, page, between=""):
            """A file with an entry for each page, each with its own headers."""
            base = urls[0].partition("?")[0]
            file = home.directory / name
            file.write_text(between.join(
                page.format(headers=home.headers("GET", base, f"{name}-{number}"), url=url)
                for number, url in enumerate(urls)))
            return file

        options = 'url = "{url}"\nheader = "{headers}"\nsilent\nshow-error\nfail\n'
        ours, loop, one = in_turns(
            bench.runs(10),
            lambda: bench.measure(home, *command),
            lambda: bench.measure(home, "sh", prepared("loop", "curl -sSf -H '{headers}' '{url}'\n")),
            lambda: bench.measure(home, "curl", "-K", prepared("config", options, "next\n")))
        yield compared("200 pages", "wall", ours, loop, "a curl loop", Budget.at_most(0.1))
        yield compared("200 pages", "wall", ours, one, "one curl", Budget.at_most(1.6))
        yield compared("200 pages", "cpu", ours, one, "one curl")
        yield compared("200 pages", "peak", ours, one, "one curl")


def fill(home):
    """Makes records as long as posts, enough for two on each page."""
    text = "It is a truth universally acknowledged, that a single page in possession of a cursor " * 3
    record = json.dumps({"$type": "app.bsky.feed.post", "text": text, "createdAt": "2026-01-01T00:00:00Z"})
    for number in range(2 * PAGES):
        home.run(
            "call", "com.atproto.repo.putRecord", "collection=app.bsky.feed.post", f"rkey=post{number:04}",
            f"record:={record}")


def blobs(bench):
    """A blob of 100 MB to the server and back, on disk."""
    with Network(bench.sandbox) as network:
        home = Home(bench.program, bench.room / "blobs", network)
        home.log_in("alice.test")
        blob = home.directory / "blob"
        write_blob(blob)
        upload = f"{network.address}/xrpc/com.atproto.repo.uploadBlob"
        call = ["call", "com.atproto.repo.uploadBlob", "--content-type", "image/png", "--input", str(blob)]
        answer = json.loads(home.run(*call))
        ours, reference = in_turns(
            bench.runs(30),
            lambda: bench.measure(home, *home.command(*call)),
            lambda: bench.measure(
                home, "curl", "-sSf", "-X", "POST", "-T", blob, "-H", "Content-Type: image/png",
                "-H", home.headers("POST", upload), upload))
        yield from large("upload of 100 MB", ours, reference, "curl -T")

        did = json.loads(home.run("accounts", "current", "--json"))["account"]["did"]
        parameters = [f"did={did}", f"cid={answer['blob']['ref']['$link']}"]
        download = f"{network.address}/xrpc/com.atproto.sync.getBlob"
        copies = [home.directory / "ours", home.directory / "theirs"]
        ours, reference = in_turns(
            bench.runs(30),
            lambda: bench.measure(
                home, *home.command("call", "com.atproto.sync.getBlob", *parameters, "-o", str(copies[0]))),
            lambda: bench.measure(
                home, "curl", "-sSf", "-o", copies[1], "-H", home.headers("GET", download),
                f"{download}?{'&'.join(parameters)}"))
        if any(copy.read_bytes() != blob.read_bytes() for copy in copies):
            raise CommandFailed("the downloaded blob differs from the uploaded one")
        yield from large("download of 100 MB", ours, reference, "curl -o")


def write_blob(path):
    with open(path, "wb") as file:
        for _ in range(BLOB // 1_000_000):
            file.write(os.urandom(1_000_000))


def large(work, ours, reference, beside):
    yield compared(work, "wall", ours, reference, beside, Budget.at_most(1.1))
    yield compared(work, "cpu", ours, reference, beside)
    yield Line(
        work, "peak", BYTES, ours.median("peak"), reference.median("peak"), beside, Budget.below(LARGEST, BYTES))
