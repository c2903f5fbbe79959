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

    /// A token for a program.
    ///
    /// - Parameter audience: the DID of the gateway, as a program finds it in the tokens of a PDS. It is not checked.
    func token(
        _ kind: Kind, did: String, id: String, audience: String = RunAddress(port: nil).did, now: Date
    ) -> String {
        let time = Int64(now.timeIntervalSince1970)
        let claims: JSONValue = [
            "scope": .string("com.atproto.\(kind.rawValue)"), "sub": .string(did),
            "aud": .string(audience), "jti": .string(id), "iat": JSONValue(time),
            "exp": JSONValue(time + kind.life),
        ]
        let signed = "\(kind.header).\(Base64URL.encode(claims.text.utf8))"
        return "\(signed).\(Base64URL.encode(code(of: signed)))"
    }

    /// A text that looks like a token: its header is ours, byte for byte, so no other algorithm is possible.
    private struct Form {
        let kind: Kind
        let signed: String
        let code: [UInt8]
        let did: String
        let claims: JSONValue

        init?(_ text: String) {
            let parts = text.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 3, let kind = Kind.allCases.first(where: { $0.header == parts[0] }),
                let code = Base64URL.decode(parts[2]),
                let claims = Base64URL.decode(parts[1]).flatMap({ try? JSONParser.parse($0) }),
                let did = claims["sub"]?.string
            else { return nil }
            self.kind = kind
            signed = "\(parts[0]).\(parts[1])"
            self.code = code
            self.did = did
            self.claims = claims
        }
    }

    /// Reads a token, whose code must be right before anything in it counts.
    func read(_ text: String, now: Date) -> Token? {
        guard let form = Form(text), isOurs(form), let id = form.claims["jti"]?.string,
            let end = form.claims["exp"]?.integer, !ended.withLock({ $0.contains(id) })
        else { return nil }
        return Token(
            kind: form.kind, did: form.did, id: id, isExpired: Double(end) <= now.timeIntervalSince1970)
    }

    /// Whether a text is a token that other keys have signed, such as those of an earlier run. Nothing in it counts.
    func isOfAnotherRun(_ text: String) -> Bool { Form(text).map { !isOurs($0) } ?? false }

    private func isOurs(_ form: Form) -> Bool { ConstantTime.equals(form.code, code(of: form.signed)) }

    /// Ends the session of a program.
    func end(_ id: String) {
        _ = ended.withLock { $0.insert(id) }
    }

    private func code(of text: String) -> [UInt8] {
        HMACSHA256.authenticate(key: key, message: Array(text.utf8))
    }
}
