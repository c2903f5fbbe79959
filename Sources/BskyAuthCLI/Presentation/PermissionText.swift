internal import ATPJSON
internal import ATProtoGateway
internal import ATProtoIdentity
internal import ATProtoXRPC
internal import BskyAuthCore
internal import OAuthDPoP

/// Permissions and permission sets in the words of the command line.
enum PermissionText {
    /// How many names a line has; `--json` has all.
    private static let most = 5

    /// A known set by its NSID, or by the last part of it.
    ///
    /// - Parameters:
    ///   - orScope: whether the name can also be a scope; then nothing is refused.
    ///   - lexicons: tell which sets of others there are.
    /// - Returns: nil for an NSID that may be a set of somebody else.
    /// - Throws: a failure that names the nearest set.
    static func set(
        named name: String, orScope: Bool = false, _ lexicons: KnownLexicons = .compiled
    ) throws -> PermissionSets.Entry? {
        if orScope {
            let nsid = try? NSID(validating: name)
            return nsid.flatMap { PermissionSets.entry($0) }
                ?? PermissionSets.all.first { $0.nsid.name == name }
        }
        if let nsid = try? NSID(validating: name) {
            if let entry = PermissionSets.entry(nsid, lexicons) { return entry }
            if PublicMethods.areComplete(for: nsid) { throw noSuchSet(name) }
            return nil
        }
        let found = PermissionSets.all.filter { $0.nsid.name == name }
        guard let entry = found.first else { throw noSuchSet(name) }
        guard found.count == 1 else {
            throw Failure.usage(
                "several permission sets have the name \(name): \(found.map(\.nsid.description).joined(separator: ", "))"
            )
        }
        return entry
    }

    /// The name of a set that is not known here.
    static func unknownSet(named name: String) throws -> NSID {
        do { return try NSID(validating: name) } catch { throw noSuchSet(name) }
    }

    private static func noSuchSet(_ name: String) -> Failure {
        var failure = Failure.usage(
            "no permission set \"\(ScopeText.short(name))\" is known here"
                + (nearest(to: name).map { "; did you mean \($0)?" } ?? ""))
        failure.hint = "bskyauth scopes sets"
        return failure
    }

    /// The known set with the most similar name, written as the other name is: as an NSID or only its last part.
    static func nearest(to name: String) -> String? {
        let all = PermissionSets.all.map(\.nsid)
        let names = all.map(name.contains(".") ? \.description : \.name)
        return names.first { $0.lowercased() == name.lowercased() } ?? name.nearest(of: names)
    }

    /// What a session may do, a line each, with what is not known here. At least one line.
    static func lines(_ words: PermissionWords, most: Int = most) -> [String] {
        let known = words.actions.map { $0.text(most: most).escapedForTerminal }
        let unknown = words.unknown.isEmpty ? [] : ["not known here: \(ScopeText.list(words.unknown))"]
        return known.isEmpty && unknown.isEmpty ? ["only tell which account it is"] : known + unknown
    }

    /// The warnings, a line each.
    static func warnings(_ words: PermissionWords) -> [String] { words.warnings.map { "warning: \($0)" } }

    /// What a login that asks for a scope would get, as far as that is known here.
    ///
    /// - Parameter lexicons: tell what sets permit.
    static func explanation(
        requested scope: [String], _ lexicons: KnownLexicons = .compiled
    ) -> [String] {
        let sets = scope.compactMap { value -> String? in
            guard let entry = entry(in: value, lexicons) else { return nil }
            let source =
                PublicMethods.areComplete(for: entry.nsid)
                ? "as in the lexicons of \(PublicMethods.edition); its author may have changed it"
                : "as its author publishes it now"
            return "\(entry.nsid)\(title(entry)): \(source)"
        }
        return sets + explanation(PermissionWords(requested: scope, lexicons)) + files(scope)
    }

    /// What a session may do.
    ///
    /// - Parameter requested: what its login asked for. It can name sets.
    static func explanation(granted scope: [String], requested: [String]) -> [String] {
        let sets = requested.compactMap { value in entry(in: value).map { "asked for \($0.nsid)\(title($0))" }
        }
        return sets + explanation(PermissionWords(granted: scope))
    }

    private static func explanation(_ words: PermissionWords) -> [String] {
        ["the session may:"] + lines(words).map { "  \($0)" }
            + (words.absent.isEmpty ? [] : ["it may not: \(words.absent.joined(separator: "; "))"])
            + warnings(words)
    }

    /// The words as JSON.
    static func json(_ words: PermissionWords) -> JSONObject {
        JSONObject([
            .init(name: "may", value: JSONValue(words.actions.map { $0.text() })),
            .init(name: "may_not", value: JSONValue(words.absent)),
            .init(name: "warnings", value: JSONValue(words.warnings)),
            .init(name: "unknown", value: JSONValue(words.unknown)),
        ])
    }

    private static func entry(
        in value: String, _ lexicons: KnownLexicons = .compiled
    ) -> PermissionSets.Entry? {
        guard case .include(let nsid, _)? = try? PermissionScope(validating: value) else { return nil }
        return PermissionSets.entry(nsid, lexicons)
    }

    /// What the author of a set calls it, after its name.
    static func title(_ set: PermissionSets.Entry) -> String {
        set.title.map { " (its author calls it \"\($0.escapedForTerminal)\")" } ?? ""
    }

    /// That records may be created whose files can't be uploaded, with the scope for that.
    private static func files(_ scope: [String]) -> [String] {
        let permissions = Permissions(requested: scope)
        let collections = permissions.permissions.flatMap { permission -> [NSID] in
            guard case .repo(let names, let actions) = permission, actions.contains(.create) else {
                return []
            }
            return names.compactMap { if case .nsid(let nsid) = $0 { nsid } else { nil } }
        }
        return Set(collections).sorted { "\($0)" < "\($1)" }.compactMap { collection in
            let types = RecordFiles.types(of: collection)
            guard !types.isEmpty, !types.contains(where: { permissions.cover(.blob(accept: [$0])) }) else {
                return nil
            }
            let options = types.map {
                "--scope " + PermissionScope.blob(accept: [$0]).description.shellQuoted
            }
            return "\(collection) can have files; to upload them, add  \(options.joined(separator: "  or  "))"
        }
    }
}
