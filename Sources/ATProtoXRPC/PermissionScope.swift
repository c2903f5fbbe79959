internal import ATPNetworking
package import ATProtoIdentity

/// A permission of AT Protocol, such as `repo:app.bsky.feed.post?action=create` (atproto.com/specs/permission;
/// protocol:S3, S4).
///
/// Texts with the same meaning are equal. The order of the parameters does not count, nor whether the first value
/// stands before or after the question mark.
package enum PermissionScope: Sendable, Hashable {
    /// An NSID, or `*` for all of them.
    package enum Name: Sendable, Hashable, CustomStringConvertible {
        case any
        case nsid(NSID)

        package var description: String {
            switch self {
            case .any: "*"
            case .nsid(let nsid): nsid.description
            }
        }
    }

    /// A service as `did#id`, or `*` for any.
    package enum Audience: Sendable, Hashable {
        case any
        case service(ServiceReference)
    }

    package enum RecordAction: String, Sendable, Hashable, CaseIterable {
        case create, update, delete
    }

    case repo(collections: Set<Name>, actions: Set<RecordAction>)
    case rpc(methods: Set<Name>, audience: Audience)
    /// Patterns of media types, such as `image/*`.
    case blob(accept: Set<String>)
    case account(attribute: String, manages: Bool)
    /// `handle`, or `*`.
    case identity(attribute: String)
    case include(NSID, audience: ServiceReference?)

    /// - Throws: ``InvalidPermissionScope`` for a text that a server would drop or refuse.
    package init(validating text: String) throws(InvalidPermissionScope) {
        let syntax = try ScopeSyntax(text)
        switch syntax.resource {
        case "repo": self = try Self.repo(syntax)
        case "rpc": self = try Self.rpc(syntax)
        case "blob": self = try Self.blob(syntax)
        case "account": self = try Self.account(syntax)
        case "identity":
            let attribute = try syntax.parameters("attr").single("attr")
            guard ["handle", "*"].contains(attribute) else { throw .value("attr") }
            self = .identity(attribute: attribute)
        case "include": self = try Self.include(syntax)
        default: throw .resource
        }
    }

    private static func repo(_ syntax: ScopeSyntax) throws(InvalidPermissionScope) -> PermissionScope {
        let parameters = try syntax.parameters("collection", "action")
        var actions: Set<RecordAction> = []
        for text in parameters.values("action") {
            guard let action = RecordAction(rawValue: text) else { throw .value("action") }
            actions.insert(action)
        }
        return .repo(
            collections: try names(parameters, "collection"),
            actions: actions.isEmpty ? Set(RecordAction.allCases) : actions)
    }

    private static func rpc(_ syntax: ScopeSyntax) throws(InvalidPermissionScope) -> PermissionScope {
        let parameters = try syntax.parameters("lxm", "aud")
        let methods = try names(parameters, "lxm")
        let text = try parameters.single("aud")
        if text == "*" {
            // Any method of any service would allow everything.
            guard !methods.contains(.any) else { throw .audience(text) }
            return .rpc(methods: methods, audience: .any)
        }
        return .rpc(methods: methods, audience: .service(try service(text)))
    }

    private static func blob(_ syntax: ScopeSyntax) throws(InvalidPermissionScope) -> PermissionScope {
        let accept = try syntax.parameters("accept").values("accept")
        guard !accept.isEmpty, accept.allSatisfy(isMediaPattern) else { throw .value("accept") }
        return .blob(accept: Set(accept))
    }

    private static func account(_ syntax: ScopeSyntax) throws(InvalidPermissionScope) -> PermissionScope {
        let parameters = try syntax.parameters("attr", "action")
        let attribute = try parameters.single("attr")
        guard ["email", "repo"].contains(attribute) else { throw .value("attr") }
        let action = parameters.values("action").isEmpty ? "read" : try parameters.single("action")
        guard ["read", "manage"].contains(action) else { throw .value("action") }
        return .account(attribute: attribute, manages: action == "manage")
    }

    private static func include(_ syntax: ScopeSyntax) throws(InvalidPermissionScope) -> PermissionScope {
        let parameters = try syntax.parameters("nsid", "aud")
        guard let nsid = try? NSID(validating: parameters.single("nsid")) else { throw .value("nsid") }
        let audience = parameters.values("aud").isEmpty ? nil : try service(parameters.single("aud"))
        return .include(nsid, audience: audience)
    }

    private static func names(
        _ parameters: ScopeSyntax.Parameters, _ key: String
    ) throws(InvalidPermissionScope) -> Set<Name> {
        var names: Set<Name> = []
        for text in parameters.values(key) {
            if text == "*" {
                names.insert(.any)
            } else if let nsid = try? NSID(validating: text) {
                names.insert(.nsid(nsid))
            } else {
                throw .value(key)
            }
        }
        guard !names.isEmpty else { throw .missing(key) }
        return names
    }

    private static func service(_ text: String) throws(InvalidPermissionScope) -> ServiceReference {
        guard let service = try? ServiceReference(validating: text) else { throw .audience(text) }
        return service
    }

    /// `type/subtype`, where both or the subtype may be `*`.
    static func isMediaPattern(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else { return false }
        if parts[0] == "*" { return parts[1] == "*" }
        return (parts[1] == "*" || isToken(parts[1])) && isToken(parts[0])
    }

    private static func isToken(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { $0.isASCIIAlphanumeric || "!#$%&'+-.^_`|~".utf8.contains($0) }
    }
}

/// Why a text is not a permission.
package enum InvalidPermissionScope: Error, Sendable, Hashable {
    case syntax
    /// The resource is unknown.
    case resource
    case missing(String)
    case value(String)
    /// An `aud` that servers don't take here, such as a DID alone.
    case audience(String)
    case unknownParameter(String)
    /// A value stands both before and after the question mark, or a single value is repeated.
    case repeated(String)
}

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

    /// The named values. The positional value belongs to the first name.
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
