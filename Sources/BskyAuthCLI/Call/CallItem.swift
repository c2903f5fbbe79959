internal import JSON
internal import Networking

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

    /// Reads an item: the separator that comes first decides, the longer one where two start at one place.
    init(parsing text: String) throws(Failure) {
        guard let index = text.firstIndex(where: { $0 == "=" || $0 == ":" }), index != text.startIndex else {
            throw .usage(
                "\"\(text.shown)\" is no item: say name=value, name:=json, name==value or Name:value")
        }
        let name = String(text[..<index])
        let rest = text[index...]
        if rest.hasPrefix(":=") {
            do {
                self = .typed(name: name, value: try JSONParser.parse(String(rest.dropFirst(2))))
            } catch {
                throw .usage("the value of \"\(name.shown)\" is not JSON; for text say \(name.shown)=…")
            }
        } else if rest.hasPrefix("==") {
            self = .query(name: name, value: String(rest.dropFirst(2)))
        } else if rest.hasPrefix("=") {
            self = .literal(name: name, value: String(rest.dropFirst()))
        } else {
            self = .header(name: name, value: String(rest.dropFirst()))
        }
    }

    /// Reads `--field k=v`: splits at the first `=` and interprets nothing.
    init(field text: String) throws(Failure) {
        guard let index = text.firstIndex(of: "="), index != text.startIndex else {
            throw .usage("--field takes name=value")
        }
        self = .literal(name: String(text[..<index]), value: String(text[text.index(after: index)...]))
    }
}
