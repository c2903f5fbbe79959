import Foundation

/// A service apart from the PDS, such as a feed generator. It knows accounts by their service tokens alone
/// (atproto.com/specs/xrpc, Inter-Service Authentication; `protocol:X13`).
struct ForeignService: Sendable {
    let origins: Origins
    let clock: SandboxClock
    let accounts: AccountRegistry
    /// The tokens that were used. They last for an hour at most.
    let used: ReplayMemory

    /// The name of the service in its DID document.
    static let name = "sandbox"

    func answer(_ exchange: Exchange) async -> Answer {
        switch (exchange.routedMethod, exchange.path) {
        case ("GET", "/.well-known/did.json"): .json(document)
        case (_, let path) where path.hasPrefix("/xrpc/"):
            await call(String(path.dropFirst("/xrpc/".count)), exchange)
        default: .notFound(exchange.method, exchange.path)
        }
    }

    private var document: JSONValue {
        [
            "@context": ["https://www.w3.org/ns/did/v1"],
            "id": .string(origins.serviceDID),
            "service": [
                [
                    "id": .string("#" + Self.name), "type": "SandboxService",
                    "serviceEndpoint": .string(origins[.service]),
                ]
            ],
        ]
    }

    /// Says who called. The method `listItems` has three pages.
    private func call(_ method: String, _ exchange: Exchange) async -> Answer {
        do throws(XRPCFailure) {
            let claims = try claims(of: exchange, for: method)
            let body = (try? await exchange.body(upTo: 1 << 20)) ?? []
            var answer: [JSONMember] = ["iss", "aud", "lxm"].compactMap { name in
                claims[name].map { JSONMember(name: name, value: $0) }
            }
            answer.append(JSONMember(name: "received", value: .string(String(decoding: body, as: UTF8.self))))
            if method.hasSuffix(".listItems") {
                let page = Int(exchange.query["cursor"] ?? "1") ?? 1
                answer.append(JSONMember(name: "items", value: [JSONValue(page)]))
                if page < 3 { answer.append(JSONMember(name: "cursor", value: .string(String(page + 1)))) }
            }
            return .json(.object(answer))
        } catch {
            return error.answer(in: .official)
        }
    }

    /// The claims of the request's token, in the order in which the reference server's library checks them. A second use is
    /// refused too.
    private func claims(of exchange: Exchange, for method: String) throws(XRPCFailure) -> JSONValue {
        guard let header = exchange.header("authorization"), header.hasPrefix("Bearer ") else {
            throw Self.refusal("MissingJwt", "missing jwt")
        }
        guard exchange.header("dpop") == nil else { throw .invalidRequest("A service takes no proof") }
        guard let jws = CompactJWS(String(header.dropFirst("Bearer ".count))),
            let expiry = jws.payload["exp"]?.integer, let issuer = jws.payload["iss"]?.string,
            let identifier = jws.payload["jti"]?.string
        else { throw Self.refusal("BadJwt", "poorly formatted jwt") }
        guard jws.header["typ"] == "JWT", jws.header["alg"] == "ES256" else {
            throw Self.refusal("BadJwtType", "Invalid jwt type")
        }
        guard expiry >= clock.seconds else { throw Self.refusal("JwtExpired", "jwt expired") }
        guard let audience = jws.payload["aud"]?.string, isForThis(audience) else {
            throw Self.refusal("BadJwtAudience", "jwt audience does not match service did")
        }
        guard jws.payload["lxm"]?.string == method else {
            throw Self.refusal("BadJwtLexiconMethod", "bad jwt lexicon method (\"lxm\")")
        }
        guard let account = accounts.find(issuer), account.did == issuer,
            account.signingKey.publicKey.isValid(jws.signature, for: jws.signingInput)
        else { throw Self.refusal("BadJwtSignature", "jwt signature does not match jwt issuer") }
        guard used.insert(identifier) else { throw Self.refusal("BadJwt", "jwt was used before") }
        exchange.note {
            $0.auth = .service
            $0.account = issuer
        }
        return jws.payload
    }

    private func isForThis(_ audience: String) -> Bool {
        [origins.serviceDID, origins.serviceDID + "#" + Self.name].contains(audience)
    }

    private static func refusal(_ name: String, _ message: String) -> XRPCFailure {
        XRPCFailure(401, name, message)
    }
}

extension Origins {
    /// The DID of the service: a did:web of this machine, the only one that may have a port.
    var serviceDID: String {
        let port = authority(of: .service).split(separator: ":").last ?? ""
        return "did:web:localhost%3A" + port
    }
}
