internal import ATPJSON
internal import ATPNetworking
internal import ATPPlatform
internal import ATProtoIdentity

/// One item of `call`, in the convention HTTPie and goat share.
enum CallItem: Hashable {
    /// `k=v`: a string, literally, in the query of a query and in the body of a procedure.
    case literal(name: String, value: String)
    /// `k:=json`: a typed value in the same place.
    case typed(name: String, value: JSONValue)
    /// `k==v`: always the query.
    case query(name: String, value: String)
    /// `Name:value`: a header.
    case header(name: String, value: String)
    /// An AT-URI or the address of a page of bsky.app, for `repo`, `collection` and `rkey`.
    case record(RecordReference, text: String)

    var isRecord: Bool { if case .record = self { true } else { false } }

    /// Reads an item. The first separator decides; if two begin at the same place, the longer one. An AT-URI and the
    /// address of a page have none.
    init(parsing text: String) throws {
        if RecordReference.isMeant(by: text) {
            guard let record = try? RecordReference(parsing: text) else {
                throw Failure.usage(
                    "\"\(text.escapedForTerminal)\" is not the address of a record or an account")
            }
            self = .record(record, text: text)
            return
        }
        guard let index = text.firstIndex(where: { $0 == "=" || $0 == ":" }), index != text.startIndex else {
            throw Failure.usage(
                "\"\(text.escapedForTerminal)\" is not an item: write name=value, name:=json, name==value or Name:value"
            )
        }
        let name = String(text[..<index])
        let rest = text[index...]
        if rest.hasPrefix(":=") {
            guard let value = try? JSONParser.parse(String(rest.dropFirst(2))) else {
                var failure = Failure.usage(
                    "the value of \"\(name.escapedForTerminal)\" is not JSON; for text write \(name.escapedForTerminal)=…"
                )
                let value = String(rest.dropFirst(2))
                if value.hasPrefix("@") {
                    let file = "\(name):=\(value.withoutAt)".escapedForTerminal.shellQuoted
                    failure.hint = "for the JSON of a file:  bskyauth call … --file \(file)"
                }
                throw failure
            }
            self = .typed(name: name, value: value)
        } else if rest.hasPrefix("==") {
            self = .query(name: name, value: String(rest.dropFirst(2)))
        } else if rest.hasPrefix("=") {
            self = .literal(name: name, value: String(rest.dropFirst()))
        } else if rest.hasPrefix("://") {
            throw Failure.usage(
                "\"\(text.escapedForTerminal)\" is not an item: to send a URL, write name=URL")
        } else {
            self = .header(name: name, value: String(rest.dropFirst()))
        }
    }

    /// Reads `--field k=v`: splits at the first `=` and interprets nothing.
    init(field text: String) throws {
        guard let index = text.firstIndex(of: "="), index != text.startIndex else {
            throw Failure.usage("--field takes name=value")
        }
        self = .literal(name: String(text[..<index]), value: String(text[text.index(after: index)...]))
    }

    /// Reads `--file k=PATH`, whose value is the text of a file, and `--file k:=PATH`, whose value is the JSON in
    /// it. Either is taken as it is: a line break at the end belongs to the text. `-` is standard input.
    init(file text: String) throws {
        guard let index = text.firstIndex(of: "="), index != text.startIndex else {
            throw Failure.usage("--file takes name=PATH, or name:=PATH for JSON")
        }
        let name = String(text[..<index])
        let path = String(text[text.index(after: index)...])
        let bytes = try Self.content(of: path)
        guard name.hasSuffix(":"), name != ":" else {
            guard let value = String(validating: bytes, as: UTF8.self) else {
                throw Failure.usage("\(path.escapedForTerminal) is not text; send binary data with --input")
            }
            self = .literal(name: name, value: value)
            return
        }
        guard let value = try? JSONParser.parse(bytes) else {
            throw Failure.usage(
                "\(path.escapedForTerminal) is not JSON; to send it as text, leave out the colon")
        }
        self = .typed(name: String(name.dropLast()), value: value)
    }

    /// The size limit of a file in bytes. Servers accept less in a body that is not a blob.
    private static let longestFile = 16 << 20

    private static func content(of path: String) throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try InputFile.read(path, limit: longestFile + 1)
        } catch let error {
            throw Failure.unreadable(
                path, error,
                hint: Failure.pathHint(path, option: "--file NAME=") ?? "bskyauth call NSID --file NAME=PATH")
        }
        guard bytes.count <= longestFile else {
            throw Failure.usage(
                "\(path.escapedForTerminal) is too long for a value; send a whole body with --input")
        }
        return bytes
    }
}
