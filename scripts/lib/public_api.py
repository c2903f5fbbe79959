"""Writes the public surface of the products, one declaration a line: public_api.py BUILD OUTPUT GRAPHS.

BUILD is the folder of a finished build, .build/debug. The compiler's symbol graphs tell the surface. They are left in the
folder GRAPHS. A public symbol without a docstring is an error.
"""
import json
import pathlib
import subprocess
import sys

#: Members whose meaning is that of the protocol that asks for them.
CONFORMANCES = {"==(_:_:)", "hash(into:)", "description", "customMirror", "Element", "Failure"}


#: Conformances that every type has, or that follow from another one.
IMPLIED = {"Copyable", "Escapable", "SendableMetatype", "BitwiseCopyable"}


def modules():
    """The modules that other packages can import: those of the library products."""
    package = json.loads(subprocess.check_output(["swift", "package", "dump-package"]))
    libraries = [product for product in package["products"] if "library" in product["type"]]
    return sorted({target for product in libraries for target in product["targets"]})


def symbol_graph(build, module, room):
    """The public symbols of a module, and their relationships."""
    target = json.loads(subprocess.check_output(["swiftc", "-print-target-info"]))["target"]["unversionedTriple"]
    libpq = subprocess.check_output(["pkg-config", "--cflags-only-I", "libpq"], text=True)
    headers = [
        "-I", "Sources/CATPCurl", "-I", "Sources/CATPOpenSSL", "-I", "Sources/CATPPostgreSQL",
        "-Xcc", f"-fmodule-map-file={build}/CATPPlatform.build/module.modulemap",
        *[word for flag in libpq.split() for word in ("-Xcc", flag)],
        # The C modules of SwiftNIO, which ATProtoLoopback is made with.
        *[word for file in sorted(pathlib.Path(build).glob("*.build/module.modulemap"))
          if file.parent.stem.startswith(("CNIO", "_Atomics")) for word in ("-Xcc", f"-fmodule-map-file={file}")],
        *[word for folder in sorted(pathlib.Path(".build/checkouts").glob("swift-*/Sources/*/include"))
          for word in ("-Xcc", f"-I{folder}")],
    ]
    result = subprocess.run(
        ["swift-symbolgraph-extract", "-module-name", module, "-target", target, "-I", f"{build}/Modules",
         *headers, "-minimum-access-level", "public", "-skip-synthesized-members", "-output-dir", str(room)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )
    file = room / f"{module}.symbols.json"
    if result.returncode or not file.exists():
        sys.exit(f"the symbol graph of {module} can't be made:\n{result.stderr}")
    return json.loads(file.read_text())


def conformances(graph):
    """The protocols that each type conforms to, by its identifier."""
    found = {}
    titles = {symbol["identifier"]["precise"]: symbol["names"]["title"] for symbol in graph["symbols"]}
    for relationship in graph["relationships"]:
        if relationship["kind"] == "conformsTo":
            name = titles.get(relationship["target"]) or relationship["targetFallback"].split(".")[-1]
            if name not in IMPLIED:
                found.setdefault(relationship["source"], set()).add(name)
    return found


def declaration(symbol, protocols):
    text = " ".join("".join(part["spelling"] for part in symbol["declarationFragments"]).split())
    names = protocols.get(symbol["identifier"]["precise"])
    return f"{text.split(' : ')[0]}: {', '.join(sorted(names))}" if names else text


def main():
    build, output, graphs = sys.argv[1:]
    lines, undocumented = [], []
    for module in modules():
        surface = []
        graph = symbol_graph(build, module, pathlib.Path(graphs))
        if not graph["symbols"]:
            sys.exit(f"{module} is empty: the build lacks a trait (Package.swift)")
        protocols = conformances(graph)
        for symbol in graph["symbols"]:
            path = symbol["pathComponents"]
            surface.append(f"{'.'.join(path)}: {declaration(symbol, protocols)}")
            if "docComment" not in symbol and path[-1] not in CONFORMANCES:
                undocumented.append(f"{module}.{'.'.join(path)}")
        lines += ["", module, ""] if lines else [module, ""]
        lines += sorted(surface)
    if undocumented:
        sys.exit("public symbols without a docstring:\n" + "\n".join(undocumented))
    pathlib.Path(output).write_text("\n".join(lines) + "\n")


main()
