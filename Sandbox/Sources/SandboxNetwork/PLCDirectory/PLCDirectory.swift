import Foundation

/// The directory of did:plc documents, for the accounts of this sandbox (`protocol:R14`; cases 004, 005).
struct PLCDirectory: Sendable {
    let origins: Origins
    let accounts: AccountRegistry

    func answer(_ exchange: Exchange) -> Answer {
        let path = exchange.path.dropFirst()
        guard exchange.routedMethod == "GET", let did = path.removingPercentEncoding, did.hasPrefix("did:")
        else {
            return .notFound(exchange.method, exchange.path)
        }
        guard let account = accounts.find(did), account.did == did else {
            return .json(["message": .string("DID not registered: \(did)")], status: 404)
        }
        exchange.note { $0.account = did }
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
                    "serviceEndpoint": .string(origins[.personalDataServer]),
                ]
            ],
        ]
    }
}
