internal import ATPCryptography
internal import ATPJSON
internal import FoundationEssentials
internal import Synchronization

/// The secrets of one run, and the tokens made with them. They are good at this gateway only, and end with it.
///
/// A program gives the secret as the password of `createSession`, and gets tokens like those of a PDS: SDKs read
/// their times.
final class RunKeys: Sendable {
    enum Kind: String, CaseIterable {
        case access
        case refresh

        fileprivate var header: String {
            Base64URL.encode(#"{"typ":"\#(self == .access ? "at" : "refresh")+jwt","alg":"HS256"}"#.utf8)
        }

        /// How long a token is good, in seconds.
        fileprivate var life: Int64 { self == .access ? 2 * 3600 : 90 * 86400 }
    }

    /// What a token says.
    struct Token: Equatable {
        let kind: Kind
        let did: String
        /// The session of the program. Its tokens end with it.
        let id: String
        let isExpired: Bool
    }

    private let key: SecretBytes
    private let ended = Mutex<Set<String>>([])

    init() throws(CryptographyError) {
        key = SecretBytes(try RandomBytes.generate(32))
    }

    static let prefix = "bskyauth-run-"

    /// A new secret of 160 random bits.
    static func secret() throws(CryptographyError) -> String {
        prefix + Base64URL.encode(try RandomBytes.generate(20))
    }

    /// A new name for a session of a program.
    static func sessionID() throws(CryptographyError) -> String {
        Base64URL.encode(try RandomBytes.generate(16))
    }

    func token(_ kind: Kind, did: String, id: String, now: Date) -> String {
        let time = Int64(now.timeIntervalSince1970)
        let claims: JSONValue = [
            "scope": .string("com.atproto.\(kind.rawValue)"), "sub": .string(did), "aud": "did:web:127.0.0.1",
            "jti": .string(id), "iat": JSONValue(time), "exp": JSONValue(time + kind.life),
        ]
        let signed = "\(kind.header).\(Base64URL.encode(claims.text.utf8))"
        return "\(signed).\(Base64URL.encode(code(of: signed)))"
    }

    /// Reads a token, whose code must be right before anything in it counts. The header must be ours byte for byte, so
    /// no other algorithm is possible.
    func read(_ text: String, now: Date) -> Token? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let kind = Kind.allCases.first(where: { $0.header == parts[0] }),
            let given = Base64URL.decode(parts[2]),
            ConstantTime.equals(given, code(of: "\(parts[0]).\(parts[1])")),
            let claims = Base64URL.decode(parts[1]).flatMap({ try? JSONParser.parse($0) }),
            let did = claims["sub"]?.string, let id = claims["jti"]?.string,
            let end = claims["exp"]?.integer, !ended.withLock({ $0.contains(id) })
        else { return nil }
        return Token(
            kind: kind, did: did, id: id, isExpired: Double(end) <= now.timeIntervalSince1970)
    }

    /// Ends the session of a program.
    func end(_ id: String) {
        _ = ended.withLock { $0.insert(id) }
    }

    private func code(of text: String) -> [UInt8] {
        HMACSHA256.authenticate(key: key, message: Array(text.utf8))
    }
}
