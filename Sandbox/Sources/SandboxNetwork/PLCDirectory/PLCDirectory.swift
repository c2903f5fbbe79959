import Foundation

/// The directory of did:plc documents, for the accounts of this sandbox (`protocol:R14`; cases 004, 005).
struct PLCDirectory: Sendable {
    let origins: Origins
    let accounts: AccountRegistry
    private let log = PLCOperationLog()

    init(origins: Origins, accounts: AccountRegistry) {
        self.origins = origins
        self.accounts = accounts
    }

    func answer(_ exchange: Exchange) -> Answer {
        let parts = exchange.path.dropFirst().split(separator: "/", maxSplits: 1)
        guard exchange.routedMethod == "GET", let did = parts.first?.removingPercentEncoding,
            did.hasPrefix("did:"), parts.count == 1 || parts[1] == "log/audit"
        else { return .notFound(exchange.method, exchange.path) }
        guard let account = accounts.find(did), account.did == did else {
            return .json(["message": .string("DID not registered: \(did)")], status: 404)
        }
        exchange.note { $0.account = did }
        if parts.count > 1 {
            return .json(log.audit(of: account, at: origins[.personalDataServer]))
        }
        if account.isTombstoned {
            return .json(["message": .string("DID not available: \(did)")], status: 410)
        }
        return .text(document(of: account).text, type: "application/did+ld+json")
    }

    /// The DID document (DID specification; `protocol:R16`, `R17`).
    func document(of account: Account) -> JSONValue {
        [
            "@context": [
                "https://www.w3.org/ns/did/v1", "https://w3id.org/security/multikey/v1",
                "https://w3id.org/security/suites/ecdsa-2019/v1",
            ],
            "id": .string(account.did),
            "alsoKnownAs": [.string("at://\(account.handle)")],
            "verificationMethod": [
                [
                    "id": .string("\(account.did)#atproto"),
                    "type": "Multikey",
                    "controller": .string(account.did),
                    "publicKeyMultibase": .string(account.multikey),
                ]
            ],
            "service": [
                [
                    "id": "#atproto_pds",
                    "type": "AtprotoPersonalDataServer",
                    "serviceEndpoint": .string(account.server ?? origins[.personalDataServer]),
                ]
            ],
        ]
    }
}
