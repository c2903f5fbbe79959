internal import ATPJSON
internal import ATPNetworking
package import ATProtoIdentity
package import ATProtoXRPC
internal import HTTPTypes

/// What a session needs for a call at the PDS of its account, in the smallest permissions (what the reference PDS checks;
/// protocol:S8).
package enum CallPermissions {
    /// - Returns: nil if it is not known here.
    package static func needed(for request: XRPCRequest) -> [PermissionScope]? {
        if notices.contains(where: { request.nsid == $0 }) {
            return noticeService(request).map { forwarded(request.nsid, to: $0) }
        }
        if let service = request.service {
            return (try? ServiceReference(validating: service)).map { forwarded(request.nsid, to: $0) }
        }
        let name = request.nsid.description
        if RepositoryWrites.isWrite(request) { return writes(of: request) }
        switch name {
        case "com.atproto.repo.uploadBlob":
            let type = request.headerFields[.contentType] ?? request.contentType
            return PermissionScope.upload(ofType: type.prefix { !"; \t".contains($0) }).map { [$0] }
        case "com.atproto.server.getServiceAuth": return token(request.parameters)
        case "com.atproto.identity.updateHandle": return [.identity(attribute: "handle")]
        case "com.atproto.identity.requestPlcOperationSignature", "com.atproto.identity.signPlcOperation",
            "com.atproto.identity.submitPlcOperation":
            return [.identity(attribute: "*")]
        case "com.atproto.repo.importRepo": return [.account(attribute: "repo", manages: true)]
        case "com.atproto.server.requestEmailConfirmation":
            return [.account(attribute: "email", manages: true)]
        default:
            // A PDS forwards these by itself. It knows no service for the others.
            return request.nsid.isBelow("app.bsky") ? forwarded(request.nsid, to: .appView) : nil
        }
    }

    /// The permission for a token for one method of another service.
    private static func token(_ parameters: FormParameters) -> [PermissionScope]? {
        guard let audience = parameters.single("aud"), let method = parameters.single("lxm"),
            let nsid = try? NSID(validating: method),
            let service = try? ServiceAudience(validating: audience)
        else { return nil }
        return [.needed(for: nsid, at: service)]
    }

    /// Whether a PDS lets no OAuth session make this call, whatever it was granted.
    package static func isRefused(_ nsid: NSID) -> Bool { closed.contains(nsid.description) }

    private static let closed = [
        "activateAccount", "deactivateAccount", "createAppPassword", "listAppPasswords", "revokeAppPassword",
        "requestAccountDelete", "deleteAccount", "getAccountInviteCodes", "requestEmailUpdate", "updateEmail",
        "createSession", "deleteSession", "refreshSession",
    ].map { "com.atproto.server.\($0)" }

    /// Whether a PDS lets every session make this call.
    package static func needsNothing(_ nsid: NSID) -> Bool {
        nsid.isBelow("com.atproto.sync") || open.contains(nsid.description)
    }

    private static let open = [
        "com.atproto.server.getSession", "com.atproto.server.describeServer",
        "com.atproto.server.checkAccountStatus",
        "com.atproto.identity.resolveHandle", "com.atproto.identity.getRecommendedDidCredentials",
        "com.atproto.repo.getRecord", "com.atproto.repo.listRecords", "com.atproto.repo.describeRepo",
        "com.atproto.repo.listMissingBlobs",
    ]

    private static func forwarded(_ nsid: NSID, to service: ServiceReference) -> [PermissionScope] {
        // The AppView asks the feed's own server, in the name of the account.
        let names = nsid == getFeed ? [nsid, getFeedSkeleton].compactMap(\.self) : [nsid]
        return names.map { .rpc(methods: [.nsid($0)], audience: .service(service)) }
    }

    /// The PDS sends these on to the service that the body names, whatever `atproto-proxy` says.
    private static let notices = ["registerPush", "unregisterPush"].compactMap {
        try? NSID(validating: "app.bsky.notification.\($0)")
    }

    private static func noticeService(_ request: XRPCRequest) -> ServiceReference? {
        guard case .bytes(let bytes) = request.body, let json = try? JSONParser.parse(bytes),
            let did = json["serviceDid"]?.string
        else { return nil }
        return try? ServiceReference(validating: "\(did)#bsky_notif")
    }

    private static let getFeed = try? NSID(validating: "app.bsky.feed.getFeed")
    private static let getFeedSkeleton = try? NSID(validating: "app.bsky.feed.getFeedSkeleton")

    private static func writes(of request: XRPCRequest) -> [PermissionScope]? {
        guard case .bytes(let bytes) = request.body, let json = try? JSONParser.parse(bytes),
            let writes = try? RepositoryWrites.writes(in: json, of: request.nsid.description)
        else { return nil }
        var needed: [PermissionScope] = []
        for write in writes {
            let permission = PermissionScope.repo(
                collections: [.nsid(write.collection)], actions: [write.action])
            if !needed.contains(permission) { needed.append(permission) }
        }
        return needed
    }
}
