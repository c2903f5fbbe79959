internal import ATPNetworking
internal import BskyAuthServerSupport
internal import FoundationEssentials
internal import OAuthDPoP

/// A proof of possession whose form and signature are right (RFC 9449 §4.3). Whether it is for this request is checked
/// afterwards.
struct SessionProof: Sendable {
    /// The public half of the session's key.
    let key: PublicJWK
    let id: String
    let method: String
    let url: String
    let issuedAt: Date
    let nonce: String?

    /// The most characters of a proof, so that longer texts are refused unread.
    private static let longest = 4096

    /// Reads a proof, and checks that the key in its header has signed it.
    init(_ text: String) throws(ProofProblem) {
        guard text.utf8.count <= Self.longest else { throw ProofProblem("it is too long") }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 3, let head = Base64URL.decode(parts[0]), let body = Base64URL.decode(parts[1]),
            let signature = Base64URL.decode(parts[2])
        else { throw ProofProblem("it is no compact JWS") }
        guard let header = try? JSONDecoder().decode(Header.self, from: Data(head)) else {
            throw ProofProblem("its header lacks typ, alg or jwk")
        }
        guard header.typ == "dpop+jwt", header.alg == "ES256", header.crit == nil else {
            throw ProofProblem("its header is not that of a proof with ES256")
        }
        guard let key = header.jwk.key else { throw ProofProblem("its key is no public key on P-256") }
        let message = Array("\(parts[0]).\(parts[1])".utf8)
        guard ServerCryptography.isSignature(signature, of: message, byX: key.x, y: key.y) else {
            throw ProofProblem("its signature is wrong")
        }
        guard let claims = try? JSONDecoder().decode(Claims.self, from: Data(body)) else {
            throw ProofProblem("it lacks jti, htm, htu or iat")
        }
        guard (1...256).contains(claims.jti.utf8.count) else {
            throw ProofProblem("its jti is too long or empty")
        }
        self.key = key
        id = claims.jti
        method = claims.htm
        url = claims.htu
        issuedAt = Date(timeIntervalSince1970: claims.iat)
        nonce = claims.nonce
    }

    /// Names the session's key (RFC 7638 §3).
    var thumbprint: String { key.thumbprint }

    private struct Header: Decodable {
        let typ: String
        let alg: String
        let jwk: Key
        let crit: [String]?
    }

    private struct Key: Decodable {
        let kty: String
        let crv: String
        let x: String
        let y: String
        /// A private key must not be in a proof.
        let d: String?

        var key: PublicJWK? {
            guard kty == "EC", crv == "P-256", d == nil, let x = Base64URL.decode(x),
                let y = Base64URL.decode(y)
            else { return nil }
            return PublicJWK(x: x, y: y)
        }
    }

    private struct Claims: Decodable {
        let jti: String
        let htm: String
        let htu: String
        let iat: Double
        let nonce: String?
    }
}

/// Why a proof is refused.
struct ProofProblem: Error {
    let words: String

    init(_ words: String) { self.words = words }
}

/// The nonces that this process gives out (RFC 9449 §8). They are made of the time, so none is stored.
///
/// The key is of this process, so a proof that was seen before a restart is never good after it.
struct ProofNonces: Sendable {
    private let key: ServerKey
    private let now: @Sendable () -> Date

    init(now: @escaping @Sendable () -> Date) throws {
        key = try .random()
        self.now = now
    }

    /// How long one nonce is given out. It is good for twice that time.
    static let step: TimeInterval = 120

    var current: String { nonce(of: number) }

    func isGood(_ text: String) -> Bool {
        [number, number - 1].contains { Digest.matches(text, Digest.text(of: nonce(of: $0))) }
    }

    private var number: Int { Int((now().timeIntervalSince1970 / Self.step).rounded(.down)) }

    private func nonce(of number: Int) -> String {
        Base64URL.encode(key.code(of: Array("\(number)".utf8)))
    }
}
