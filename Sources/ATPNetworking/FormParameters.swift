/// The ordered names and values of a form body or a query string.
///
/// The order is kept, and a name may be repeated: XRPC sends an array as a repeated name.
package struct FormParameters: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    package struct Parameter: Sendable, Hashable {
        package let name: String
        package let value: String
    }

    package private(set) var all: [Parameter]

    package init() {
        all = []
    }

    package init(dictionaryLiteral elements: (String, String)...) {
        all = elements.map { Parameter(name: $0.0, value: $0.1) }
    }

    /// Reads a query string or form body. Nil if an escape is broken.
    package init?(parsing text: some StringProtocol) {
        var parameters: [Parameter] = []
        // Split bytes, not characters: a combining mark after a separator would hide the separator.
        for pair in text.utf8.split(separator: UInt8(ascii: "&")) {
            let name = pair.prefix { $0 != UInt8(ascii: "=") }
            guard let decodedName = PercentEncoding.decode(name, plusIsSpace: true),
                let value = PercentEncoding.decode(pair.dropFirst(name.count + 1), plusIsSpace: true)
            else { return nil }
            parameters.append(Parameter(name: decodedName, value: value))
        }
        all = parameters
    }

    package mutating func append(_ name: String, _ value: String) {
        all.append(Parameter(name: name, value: value))
    }

    package mutating func append(contentsOf other: FormParameters) {
        all.append(contentsOf: other.all)
    }

    package var isEmpty: Bool { all.isEmpty }

    /// All values of a name, in order.
    package func values(_ name: String) -> [String] {
        all.filter { $0.name == name }.map(\.value)
    }

    /// The value of a name that appears exactly once. Nil if the name is missing or repeated (RFC 6749 §3.1:
    /// parameters must not be included more than once).
    package func single(_ name: String) -> String? {
        let found = values(name)
        return found.count == 1 ? found[0] : nil
    }

    /// `name=value&…`, percent-encoded. A space becomes `%20`, which both forms and queries accept.
    package var encoded: String {
        all.map { "\(PercentEncoding.encode($0.name))=\(PercentEncoding.encode($0.value))" }
            .joined(separator: "&")
    }
}
