internal import Synchronization

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The metadata of a client's server, for an hour.
final class MetadataMemory: Sendable {
    private let latest = Mutex<(metadata: AuthorizationServerMetadata, time: Date)?>(nil)

    /// The metadata that was found less than an hour ago.
    func metadata(at now: Date) -> AuthorizationServerMetadata? {
        latest.withLock { latest in
            latest.flatMap { (0..<3600).contains(now.timeIntervalSince($0.time)) ? $0.metadata : nil }
        }
    }

    func remember(_ found: AuthorizationServerMetadata, at now: Date) {
        latest.withLock { $0 = (found, now) }
    }
}

extension OAuthClient {
    /// The metadata of the last hour, or the server's own.
    func knownMetadata() async throws(OAuthFailure) -> AuthorizationServerMetadata {
        if let known = metadata.metadata(at: now()) { return known }
        return try await freshMetadata()
    }

    func freshMetadata() async throws(OAuthFailure) -> AuthorizationServerMetadata {
        do {
            let found = try await MetadataClient(
                transport: transport, profile: .plain, policy: policy, now: now
            ).authorizationServer(issuer: issuer, protecting: nil)
            metadata.remember(found, at: now())
            return found
        } catch {
            throw OAuthFailure(error)
        }
    }
}
