import Synchronization

/// The operations of every did:plc (did-method-plc, "Operations"), made and signed when they are first asked for.
final class PLCOperationLog: Sendable {
    private struct Entry {
        let change: DocumentChange
        let operation: CBORValue
        let cid: String
    }

    /// By DID, in the order of the account's changes.
    private let entries = Mutex<[String: [Entry]]>([:])

    /// The audit log of an account of a sandbox whose PDS has this URL.
    func audit(of account: Account, at endpoint: String) -> JSONValue {
        let all = entries.withLock { entries in
            var all = entries[account.did] ?? []
            for change in account.changes.dropFirst(all.count) {
                // A later operation follows the last one that counts. A tombstone before it counts no more.
                let previous = all.last { $0.change.multikey != nil }?.cid
                all.append(Self.entry(change, of: account, at: endpoint, after: previous))
            }
            entries[account.did] = all
            return all
        }
        return .array(
            all.enumerated().map { number, entry in
                [
                    "did": .string(account.did),
                    "operation": JSONValue(entry.operation),
                    "cid": .string(entry.cid),
                    "nullified": .bool(entry.change.multikey == nil && number < all.count - 1),
                    "createdAt": .string(entry.change.date.timestamp),
                ]
            })
    }

    private static func entry(
        _ change: DocumentChange, of account: Account, at endpoint: String, after previous: String?
    ) -> Entry {
        var members: [(name: String, value: CBORValue)] = [
            ("prev", previous.map { .text($0) } ?? .null),
            ("type", .text(change.multikey == nil ? "plc_tombstone" : "plc_operation")),
        ]
        if let multikey = change.multikey {
            members += [
                (
                    "services",
                    [
                        "atproto_pds": [
                            "type": .text("AtprotoPersonalDataServer"),
                            "endpoint": .text(change.server ?? endpoint),
                        ]
                    ]
                ),
                ("alsoKnownAs", .array([.text("at://" + account.handle)])),
                ("rotationKeys", .array([.text("did:key:" + account.rotationKey.publicKey.multikey)])),
                ("verificationMethods", ["atproto": .text("did:key:" + multikey)]),
            ]
        }
        let signature = account.rotationKey.lowSignature(for: CBORValue.map(members).encoded)
        members.append(("sig", .text(Base64URL.encode(signature))))
        let operation = CBORValue.map(members)
        return Entry(
            change: change, operation: operation,
            cid: ContentIdentifier(ofBlock: operation.encoded).text)
    }
}
