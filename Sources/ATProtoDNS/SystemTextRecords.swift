package import ATPPlatform
public import ATProtoIdentity

/// Looks up DNS TXT records with this machine's resolver.
///
/// A module of its own, because only this needs both the platform and identities: a program that sends requests with
/// `ATProtoCurl` may know nothing of AT Protocol.
public struct SystemTextRecords: TextRecordResolver {
    private let resolver: DNSResolver?

    /// The resolvers of this machine (`/etc/resolv.conf`).
    public init() {
        resolver = DNSResolver()
    }

    package init(resolver: DNSResolver) {
        self.resolver = resolver
    }

    /// The TXT records of a name; empty if the name or the records don't exist.
    public func textRecords(for name: String) async throws(TextRecordError) -> [String] {
        guard let resolver else { throw .noAnswer }
        switch await resolver.textRecords(of: name) {
        case .noAnswer: throw .noAnswer
        case .noRecords: return []
        case .message(let message):
            guard let texts = DNSMessage.textRecords(in: message) else { throw .malformed }
            return texts
        }
    }
}
