internal import ATProtoIdentity
package import ATProtoXRPC

/// What a scope lets a session do, in words for people.
///
/// The words are made of the permissions alone. What the author of a permission set calls it can be less than the set permits.
package struct PermissionWords: Sendable, Hashable {
    /// Something that the session may do: a verb, and the names of what it may do that with.
    package struct Action: Sendable, Hashable {
        /// `create and edit records of`
        package let verb: String
        /// In order. Empty if the verb says all.
        package let names: [String]
        /// ` at did:web:api.bsky.app#bsky_appview`, or nothing.
        package let end: String

        /// The words with at most so many names.
        package func text(most: Int = .max) -> String {
            guard !names.isEmpty else { return verb + end }
            let rest = names.count > most ? " and \(names.count - most) more" : ""
            return "\(verb) \(names.prefix(most).joined(separator: ", "))\(rest)\(end)"
        }
    }

    package private(set) var actions: [Action] = []
    /// What an action lets others do, or more than its name tells.
    package private(set) var warnings: [String] = []
    /// The values whose permissions are not known here.
    package private(set) var unknown: [String] = []
    private let permissions: [PermissionScope]
    private let values: Set<String>

    /// What a login asks for. A set counts as what it permitted in the lexicons of this version.
    ///
    /// - Parameter lexicons: tell what sets permit.
    package init(requested values: [String], _ lexicons: KnownLexicons = .compiled) {
        self.init(values, isGranted: false, lexicons)
    }

    /// What a session was granted. A server that knows a set names its permissions instead (protocol:S6), so a set allows nothing, and
    /// is not known.
    package init(granted values: [String]) {
        self.init(values, isGranted: true, .compiled)
    }

    private init(_ values: [String], isGranted: Bool, _ lexicons: KnownLexicons) {
        self.values = Set(values)
        var permissions: [PermissionScope] = []
        for value in values {
            let isSet = if case .include? = try? PermissionScope(validating: value) { true } else { false }
            switch isGranted && isSet ? nil : try? RequestedScope(validating: value, lexicons) {
            case .permissions(let all, losses: _): permissions += all
            case .word: break
            case .unknown, nil: unknown.append(value)
            }
        }
        self.permissions = permissions
        actions = transitional + records + uploads + calls + account
        warnings = allWarnings
    }

    /// What the session may not do at all. Only what is certain is said: nothing if a part of the scope is not known here.
    package var absent: [String] {
        let mayDoAll =
            values.contains("transition:generic") || permissions.contains(.identity(attribute: "*"))
        guard unknown.isEmpty, !mayDoAll else { return [] }
        var absent: [String] = []
        if !permissions.contains(.account(attribute: "repo", manages: true)) {
            let written = permissions.reduce(into: Set()) { $0.formUnion($1.recordActions) }
            let missing = Set(PermissionScope.RecordAction.allCases).subtracting(written)
            if !missing.isEmpty {
                absent.append("\(Self.verbs(missing, "or")) \(written.isEmpty ? "" : "any ")records")
            }
            if !written.isEmpty, !permissions.contains(where: \.isEveryCollection) {
                absent.append("write other records")
            }
        }
        // A service may take files.
        if !permissions.contains(where: { $0.isUpload || $0.mayChangeSomething }) {
            absent.append("upload files")
        }
        if !permissions.contains(where: \.isCall), !mayChat {
            absent.append("read the timeline or the notifications, or call any other service")
        }
        if !mayChat { absent.append("read or send chat messages") }
        if !permissions.contains(where: \.isIdentity) { absent.append("change the handle") }
        return absent
    }

    // MARK: Actions

    private var transitional: [Action] {
        var actions: [Action] = []
        if values.contains("transition:generic") {
            actions.append(
                Action(
                    verb:
                        "create, edit and delete every record, upload every file, and call every method except those of the chat",
                    names: [], end: ""))
        }
        if values.contains("transition:chat.bsky") {
            actions.append(
                Action(
                    verb: "call every method of the chat, also those that change or delete something",
                    names: [], end: ""))
        }
        if values.contains("transition:email") {
            actions.append(Action(verb: "see the e-mail address", names: [], end: ""))
        }
        return actions
    }

    private var records: [Action] {
        var actions: [PermissionScope.Name: Set<PermissionScope.RecordAction>] = [:]
        for case .repo(let collections, let allowed) in permissions {
            for name in collections { actions[name, default: []].formUnion(allowed) }
        }
        let everywhere = actions.removeValue(forKey: .any) ?? []
        var groups: [String: [String]] = [:]
        for (name, allowed) in actions where !allowed.isSubset(of: everywhere) {
            groups[Self.verbs(allowed, "and"), default: []].append(name.description)
        }
        let all = Action(
            verb: "\(Self.verbs(everywhere, "and")) records of every collection", names: [], end: "")
        return (everywhere.isEmpty ? [] : [all])
            + groups.sorted { $0.key < $1.key }.map { verbs, names in
                Action(verb: "\(verbs) records of", names: names.sorted(), end: "")
            }
    }

    private var uploads: [Action] {
        var types: Set<String> = []
        for case .blob(let accept) in permissions { types.formUnion(accept) }
        if types.isEmpty { return [] }
        return types.contains("*/*")
            ? [Action(verb: "upload files of every type", names: [], end: "")]
            : [Action(verb: "upload files of", names: types.sorted(), end: "")]
    }

    /// The calls, by service. A method that is not known to be a query may change something.
    private var calls: [Action] {
        var groups: [PermissionScope.Audience: Set<PermissionScope.Name>] = [:]
        for case .rpc(let methods, let audience) in permissions {
            groups[audience, default: []].formUnion(methods)
        }
        let services = groups.map { audience, names in
            if case .service(let service) = audience { ("\(service)", names) } else { ("any service", names) }
        }
        return services.sorted { $0.0 < $1.0 }.flatMap { service, names -> [Action] in
            let end = " at \(service)"
            if names.contains(.any) {
                return [
                    Action(
                        verb: "call every method", names: [], end: "\(end), also those that change something")
                ]
            }
            let nsids = names.compactMap { if case .nsid(let nsid) = $0 { nsid } else { nil } }
            let reading = nsids.filter(AccessLimits.onlyReads).map(\.description).sorted()
            let others = nsids.filter { !AccessLimits.onlyReads($0) }.map(\.description).sorted()
            return (reading.isEmpty ? [] : [Action(verb: "read by calling", names: reading, end: end)])
                + (others.isEmpty
                    ? [] : [Action(verb: "call", names: others, end: "\(end), which may change something")])
        }
    }

    private var account: [Action] {
        let verbs = permissions.compactMap { permission -> String? in
            switch permission {
            case .account("email", manages: true): "see and change the e-mail address"
            case .account("email", manages: false): "see the e-mail address"
            case .account(_, manages: true): "replace the whole repository"
            case .account(_, manages: false): "see the state of the repository"
            case .identity("handle"): "change the handle"
            case .identity: "change the handle, the keys and the server of the account"
            case .repo, .rpc, .blob, .include: nil
            }
        }
        return Set(verbs).sorted().map { Action(verb: $0, names: [], end: "") }
    }

    // MARK: Warnings

    private var allWarnings: [String] {
        var warnings: [String] = []
        if values.contains("transition:generic") {
            warnings.append("it can do more than most programs need, and servers may stop granting it")
        }
        if permissions.contains(where: { $0.isIdentity && $0 != .identity(attribute: "handle") }) {
            warnings.append("it can take the account over")
        }
        if permissions.contains(.account(attribute: "repo", manages: true)) {
            warnings.append("it can replace everything that the account has published")
        }
        let mayCallAll = values.contains("transition:generic")
        if mayCallAll || values.contains("transition:chat.bsky")
            || permissions.contains(where: \.isForAnyService)
        {
            warnings.append("it can get tokens for these methods that every service accepts")
        }
        if mayCallAll || permissions.contains(where: \.reports) {
            warnings.append("it can report others to moderators")
        }
        if permissions.contains(where: \.writesLexicons) || values.contains("transition:generic") {
            warnings.append(
                "it can change what others' sessions may do, if the account publishes permission sets")
        }
        return warnings
    }

    private var mayChat: Bool {
        values.contains("transition:chat.bsky")
            || permissions.contains { permission in
                guard case .rpc(let names, let audience) = permission else { return false }
                return audience == .service(.chat)
                    || names.contains {
                        if case .nsid(let nsid) = $0 { nsid.isBelow("chat.bsky") } else { false }
                    }
            }
    }

    /// `create, edit and delete`
    private static func verbs(_ actions: Set<PermissionScope.RecordAction>, _ last: String) -> String {
        let verbs = PermissionScope.RecordAction.allCases.filter(actions.contains).map {
            $0 == .update ? "edit" : $0.rawValue
        }
        return verbs.count > 1
            ? "\(verbs.dropLast().joined(separator: ", ")) \(last) \(verbs[verbs.count - 1])" : verbs.joined()
    }
}

extension PermissionScope {
    fileprivate var recordActions: Set<RecordAction> {
        if case .repo(_, let actions) = self { actions } else { [] }
    }

    fileprivate var isEveryCollection: Bool {
        if case .repo(let names, _) = self { names.contains(.any) } else { false }
    }

    fileprivate var isUpload: Bool { if case .blob = self { true } else { false } }

    fileprivate var isCall: Bool { if case .rpc = self { true } else { false } }

    /// Whether it has calls that are not known to only read.
    fileprivate var mayChangeSomething: Bool {
        guard case .rpc(let names, _) = self else { return false }
        return names.contains { if case .nsid(let nsid) = $0 { !AccessLimits.onlyReads(nsid) } else { true } }
    }

    fileprivate var isIdentity: Bool { if case .identity = self { true } else { false } }

    fileprivate var isForAnyService: Bool { if case .rpc(_, .any) = self { true } else { false } }

    fileprivate var reports: Bool {
        guard case .rpc(let names, _) = self else { return false }
        return names.contains { $0 == .any || $0.description == "com.atproto.moderation.createReport" }
    }

    fileprivate var writesLexicons: Bool {
        guard case .repo(let names, _) = self else { return false }
        return names.contains { $0 == .any || $0.description == "com.atproto.lexicon.schema" }
    }
}
