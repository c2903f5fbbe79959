"""Builds the documentation of the libraries: documentation.py GRAPHS OUTPUT.

GRAPHS has the symbol graphs of the modules (public_api.py). Each module's articles are in Sources/MODULE/MODULE.docc. OUTPUT
becomes a folder for a web server. A warning is an error, so each link leads to a symbol or an article. A symbol or an article
that its module's page does not name is an error too.
"""
import json
import pathlib
import shutil
import subprocess
import sys

#: A module comes after those that its pages link to. Others come last.
ORDER = ["ATPNetworking", "ATProtoIdentity", "ATProtoXRPC", "OAuthDPoP", "ATProtoSessions"]


def docc(words):
    result = subprocess.run(["docc", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        sys.exit(result.stdout)


def convert(module, graphs, archives, done):
    room = archives / f"{module}.graphs"
    room.mkdir()
    for graph in [*graphs.glob(f"{module}.symbols.json"), *graphs.glob(f"{module}@*.symbols.json")]:
        shutil.copy(graph, room)
    catalog = pathlib.Path("Sources", module, f"{module}.docc")
    if not catalog.exists():
        sys.exit(f"{module} has no page: write {catalog}/{module}.md")
    archive = archives / f"{module}.doccarchive"
    docc([
        "convert", catalog, "--additional-symbol-graph-dir", room, "--warnings-as-errors",
        "--fallback-display-name", module, "--fallback-bundle-identifier", module,
        "--fallback-default-module-kind", "Library", "--enable-experimental-external-link-support",
        *[word for other in done for word in ("--dependency", other)], "--output-path", archive,
    ])
    page = json.loads((archive / "data/documentation" / f"{module.lower()}.json").read_text())
    left = [name for topic in page["topicSections"] if topic.get("generated") for name in topic["identifiers"]]
    if left:
        sys.exit(f"{catalog}/{module}.md has to name under Topics:\n" + "\n".join(left))
    return archive


def main():
    graphs, output = map(pathlib.Path, sys.argv[1:])
    modules = {graph.name.split(".")[0] for graph in graphs.glob("*.symbols.json") if "@" not in graph.name}
    archives = output.with_name(output.name + ".parts")
    archives.mkdir()
    done = []
    for module in [name for name in ORDER if name in modules] + sorted(modules - set(ORDER)):
        done.append(convert(module, graphs, archives, done))
    docc(["merge", *done, "--output-path", output, "--synthesized-landing-page-name", "bskyauth"])
    shutil.rmtree(archives)


main()
