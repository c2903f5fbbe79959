internal import ATPJSON
internal import ArgumentParser

/// `--get`: prints parts of a JSON result instead of the whole result.
struct GetOption: ParsableArguments {
    @Option(
        name: .customLong("get"),
        help: ArgumentHelp(
            """
            Print the values at this path of the JSON result, one per line and strings without quotes. For example \
            .uri, .records[0].uri, .records[].value.text or ."na.me".
            """, valueName: "path"),
        transform: { try Self.parsed($0) })
    var path: JSONPath?

    /// Whether the result is printed as JSON even without `--json`.
    var isGiven: Bool { path != nil }

    /// Refuses options that need the whole response.
    func check(output: String?, includesHead: Bool) throws {
        guard isGiven, output != nil || includesHead else { return }
        throw Failure.usage("--get can't be used with \(includesHead ? "-i" : "-o")")
    }

    /// Prints a result on one line, or only its parts at the path.
    func write(
        _ result: JSONValue, from origin: PartPrinter.Origin = .result, to console: Console
    ) throws {
        guard let path else { return try console.write(result) }
        var printer = PartPrinter(path: path, from: origin, console: console)
        try printer.print([result])
        try printer.finish()
    }

    private static func parsed(_ text: String) throws -> JSONPath {
        guard let path = try? JSONPath(parsing: text) else {
            throw ValidationError("a path is made of .name, .\"na.me\", [0] and []")
        }
        return path
    }
}
