internal import ATPCryptography
package import ATPJSON
internal import Synchronization

/// A P-256 key pair, read and written as a JWK (RFC 7517).
///
/// Reading a key does not check that its two halves belong together, because the vault sealed them together. Call
/// ``verify()`` for a key that comes from elsewhere.
final class KeyPair: Sendable {
    let publicKey: PublicJWK
    private let scalar: SecretBytes
    private let opened: Mutex<P256PrivateKey?>

    /// A new random key.
    init() throws(CryptographyError) {
        let key = try P256PrivateKey()
        publicKey = PublicJWK(key.publicKey)
        scalar = try key.rawRepresentation()
        opened = Mutex(key)
    }

    /// Reads the text of ``privateKeyText()``.
    ///
    /// - Throws: ``CryptographyError/invalidPrivateKey`` if the text is not a private P-256 key.
    init(privateKeyText text: String) throws(CryptographyError) {
        guard let json = try? JSONParser.parse(text), let publicKey = PublicJWK(json: json),
            let scalar = json["d"]?.string.flatMap(Base64URL.decode), scalar.count == 32
        else { throw .invalidPrivateKey }
        self.publicKey = publicKey
        self.scalar = SecretBytes(scalar)
        opened = Mutex(nil)
    }

    /// Checks that the private key is valid and that the public key belongs to it.
    func verify() throws(CryptographyError) {
        _ = try P256PrivateKey(rawRepresentation: scalar, expecting: publicKey.point)
    }

    /// The private key as a JWK, for the vault only.
    func privateKeyText() -> String {
        var jwk = publicKey.members
        jwk["d"] = .string(Base64URL.encode(scalar.bytes))
        return JSONValue.object(jwk).text
    }

    /// Signs a message with ES256 (RFC 7518 §3.4).
    func sign(_ message: [UInt8]) throws(CryptographyError) -> [UInt8] {
        try key().sign(message)
    }

    private func key() throws(CryptographyError) -> P256PrivateKey {
        if let key = opened.withLock({ $0 }) { return key }
        let key = try P256PrivateKey(rawRepresentation: scalar, trusting: publicKey.point)
        opened.withLock { $0 = key }
        return key
    }
}

/// The public half of a P-256 key (RFC 7517, RFC 7518 §6.2).
public struct PublicJWK: Sendable, Hashable {
    /// The first coordinate of the point, 32 bytes.
    public let x: [UInt8]
    /// The second coordinate of the point, 32 bytes.
    public let y: [UInt8]
    private let encodedHeader = EncodedHeader()

    init(_ key: P256PublicKey) {
        (x, y) = (key.x, key.y)
    }

    /// A key from the coordinates of its point. Nil unless they are 32 bytes each and the point is on P-256.
    public init?(x: [UInt8], y: [UInt8]) {
        guard let key = try? P256PublicKey(x: x, y: y) else { return nil }
        self.init(key)
    }

    /// Whether two keys are the same point.
    public static func == (one: PublicJWK, other: PublicJWK) -> Bool { one.x == other.x && one.y == other.y }

    /// Hashes the point.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(x)
        hasher.combine(y)
    }

    /// Reads a JWK (RFC 7518 §6.2.1). Nil if it is not a key on P-256. Other members are ignored.
    package init?(json: JSONValue) {
        guard json["kty"]?.string == "EC", json["crv"]?.string == "P-256",
            let x = json["x"]?.string.flatMap(Base64URL.decode),
            let y = json["y"]?.string.flatMap(Base64URL.decode), [x.count, y.count] == [32, 32]
        else { return nil }
        (self.x, self.y) = (x, y)
    }

    /// Whether the coordinates are a point on the curve.
    package var isValid: Bool { (try? P256PublicKey(x: x, y: y)) != nil }

    var point: (x: [UInt8], y: [UInt8]) { (x, y) }

    /// The members of the thumbprint in its order.
    var members: JSONObject {
        [
            "crv": "P-256", "kty": "EC", "x": .string(Base64URL.encode(x)), "y": .string(Base64URL.encode(y)),
        ]
    }

    /// The SHA-256 thumbprint in base64url (RFC 7638 §3).
    public var thumbprint: String { Base64URL.encode(SHA256.hash(JSONValue.object(members).text.utf8)) }

    /// The encoded header of every proof of this key (RFC 9449 §4.2). The key in it has exactly the members of the
    /// thumbprint.
    var proofHeader: String {
        encodedHeader.text.withLock { header in
            let text =
                header ?? JWS.encoded(["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(members)])
            header = text
            return text
        }
    }

    /// Keeps the header, because every request needs it.
    private final class EncodedHeader: Sendable {
        let text = Mutex<String?>(nil)
    }

    /// The key as an entry of a client's metadata document. Its `kid` is the thumbprint, so that another key never has the
    /// same one.
    package var documentEntry: JSONValue {
        var entry = members
        entry["kid"] = .string(thumbprint)
        entry["use"] = "sig"
        entry["alg"] = "ES256"
        return .object(entry)
    }
}
