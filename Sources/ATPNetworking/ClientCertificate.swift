/// A certificate by which this machine authenticates itself to one server (RFC 8446 §4.4.2), in files.
package struct ClientCertificate: Sendable, Hashable {
    /// The path of a PEM file with the certificate, and with those between it and its authority.
    package let file: String
    /// The path of a PEM file with its private key, which has no passphrase.
    package let keyFile: String

    package init(file: String, keyFile: String) {
        self.file = file
        self.keyFile = keyFile
    }
}
