package import ATPJSON
package import ATProtoIdentity
package import ATProtoSessions
package import ATProtoXRPC

/// The methods of a PDS by which a program logs in and out. They never go to the PDS.
package enum SessionMethod: String, CaseIterable {
    case create = "com.atproto.server.createSession"
    case refresh = "com.atproto.server.refreshSession"
    case get = "com.atproto.server.getSession"
    case delete = "com.atproto.server.deleteSession"

    /// nil for every other method. Upper and lower case don't count: the PDS must never get a secret of a gateway.
    package init?(_ nsid: NSID) {
        let name = nsid.description.lowercased()
        guard let method = Self.allCases.first(where: { $0.rawValue.lowercased() == name }) else {
            return nil
        }
        self = method
    }

    package var kind: XRPCMethod { self == .get ? .query : .procedure }

    /// The account, as a program learns of it. It has no DID document: with that of the account, SDKs would leave for the PDS
    /// that it names.
    package static func facts(of account: Account) -> JSONObject {
        [
            "did": .string(account.did.description), "handle": .string(account.publicHandle),
            "active": true,
        ]
    }
}

extension Account {
    /// The handle, or what atproto says in place of one that can't be verified.
    package var publicHandle: String { handle?.description ?? Handle.invalidPlaceholder }

    /// The names by which a program may call the account, in lower case.
    package var identifiers: [String] {
        [did.description] + [handle?.description.lowercased()].compactMap(\.self)
    }
}
