internal import ATPCryptography
internal import ATPJSON

/// Makes signatures in the compact serialization (RFC 7515 §7.1).
enum JWS {
    static func compact(
        header: JSONValue, claims: JSONValue, sign: ([UInt8]) throws(CryptographyError) -> [UInt8]
    ) throws(CryptographyError) -> String {
        let message = "\(encoded(header)).\(encoded(claims))"
        return "\(message).\(Base64URL.encode(try sign(Array(message.utf8))))"
    }

    static func encoded(_ json: JSONValue) -> String { Base64URL.encode(json.text.utf8) }
}
