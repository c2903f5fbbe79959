/// The name of a client: a URL, but opaque here, because servers compare it byte for byte (protocol:R70).
package struct ClientID: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package init(_ text: String) {
        description = text
    }
}
