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
    /// - Returns: nil for an NSID that may be a set of somebody else.
    /// - Throws: a failure that names the nearest set.
    static func set(named name: String) throws -> PermissionSets.Entry? {
        if let nsid = try? NSID(validating: name) {
            if let entry = PermissionSets.entry(nsid) { return entry }
            if PermissionSets.isComplete(for: nsid) { throw noSuchSet(name) }
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
        return name.nearest(of: all.map(name.contains(".") ? \.description : \.name))
    }

    /// What a scope lets a session do, a line each.
    static func lines(_ words: PermissionWords, most: Int = most) -> [String] {
        words.actions.map { $0.text(most: most).escapedForTerminal }
    }

    /// The values that are not known here, as a line; none if all are.
    static func unknown(_ words: PermissionWords) -> String? {
        words.unknown.isEmpty ? nil : "not known here: \(ScopeText.list(words.unknown))"
    }

    /// The whole text that tells people what a login is going to ask for.
    ///
    /// - Parameter requested: what a login asked for, if that is something else. It can name sets.
    static func explanation(_ scope: [String], requested: [String]? = nil) -> [String] {
        let words = PermissionWords(scope)
        let allowed = lines(words).map { "  \($0)" }
        return sets(in: requested ?? scope) + ["the session may:"]
            + (allowed.isEmpty ? ["  only tell which account it is"] : allowed)
            + [unknown(words).map { "  \($0)" }].compactMap(\.self)
            + (words.absent.isEmpty ? [] : ["it may not: \(words.absent.joined(separator: "; "))"])
            + words.warnings.map { "warning: \($0)" } + files(scope)
    }

    /// What the authors of the sets in a scope call them.
    static func sets(in scope: [String]) -> [String] {
        scope.compactMap { value in
            guard case .include(let nsid, _)? = try? PermissionScope(validating: value),
                let title = PermissionSets.entry(nsid)?.title
            else { return nil }
            return "\(nsid): its author calls it \"\(title.escapedForTerminal)\""
        }
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
            let missing = RecordFiles.types(of: collection).filter { !permissions.cover(.blob(accept: [$0])) }
            guard let first = missing.first(where: { $0.hasPrefix("image/") }) ?? missing.first else {
                return nil
            }
            return
                "\(collection) can have files (\(missing.joined(separator: ", "))); to upload them, add  --scope "
                + PermissionScope.blob(accept: [first]).description.shellQuoted
        }
    }
}
