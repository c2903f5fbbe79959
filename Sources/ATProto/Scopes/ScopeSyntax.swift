internal import Networking

/// The outer form of a permission: `resource[:positional][?name=value&…]` (atproto.com/specs/permission).
struct ScopeSyntax {
    let resource: String
    private let positional: String?
    private let query: FormParameters

    init(_ text: String) throws(InvalidPermissionScope) {
        guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }) else { throw .syntax }
        let head = text.prefix { $0 != "?" }
        let tail = text.dropFirst(head.count + 1)
        resource = String(head.prefix { $0 != ":" })
        if head.count > resource.count {
            guard let value = PercentEncoding.decode(head.dropFirst(resource.count + 1)), !value.isEmpty
            else {
                throw .syntax
            }
            positional = value
        } else {
            positional = nil
        }
        guard let query = FormParameters(parsing: tail) else { throw .syntax }
        self.query = query
    }

    /// The named values; the positional one belongs to the first of the names.
    func parameters(_ names: String...) throws(InvalidPermissionScope) -> Parameters {
        for parameter in query.all where !names.contains(parameter.name) {
            throw .unknownParameter(parameter.name)
        }
        guard let positional else { return Parameters(query) }
        guard let first = names.first, query.values(first).isEmpty else { throw .repeated(names.first ?? "") }
        var all = FormParameters()
        all.append(first, positional)
        all.append(contentsOf: query)
        return Parameters(all)
    }

    struct Parameters {
        private let all: FormParameters

        init(_ all: FormParameters) {
            self.all = all
        }

        func values(_ name: String) -> [String] { all.values(name) }

        /// The one value of a name.
        func single(_ name: String) throws(InvalidPermissionScope) -> String {
            let values = all.values(name)
            guard let first = values.first else { throw .missing(name) }
            guard values.count == 1 else { throw .repeated(name) }
            return first
        }
    }
}
