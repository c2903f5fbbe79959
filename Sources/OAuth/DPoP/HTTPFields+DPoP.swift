package import HTTPTypes
internal import Networking

extension HTTPFields {
    /// The proof of possession that goes with a request (RFC 9449 §4.1).
    package var dpopProof: String? {
        get { Self.dpop.flatMap { self[$0] } }
        set {
            guard let name = Self.dpop else { return }
            self[name] = newValue
        }
    }

    /// The nonce that the next proof has to carry, where it is one: bounded, and of the characters that
    /// RFC 9449 §8.1 allows.
    var suppliedNonce: String? {
        guard let nonce = Self.dpopNonce.flatMap({ onlyValue(of: $0) }), (1...512).contains(nonce.utf8.count),
            nonce.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c })
        else { return nil }
        return nonce
    }

    private static let dpop = HTTPField.Name("DPoP")
    private static let dpopNonce = HTTPField.Name("DPoP-Nonce")
}
