internal import Synchronization

/// The metadata of a client's server, for as long as the process runs.
final class MetadataMemory: Sendable {
    private let metadata = Mutex<AuthorizationServerMetadata?>(nil)

    var latest: AuthorizationServerMetadata? { metadata.withLock { $0 } }

    func remember(_ found: AuthorizationServerMetadata) {
        metadata.withLock { $0 = found }
    }
}

extension OAuthClient {
    /// The metadata of the latest ``begin(signer:)``, or the server's own.
    func knownMetadata() async throws(OAuthFailure) -> AuthorizationServerMetadata {
        if let latest = metadata.latest { return latest }
        return try await freshMetadata()
    }

    func freshMetadata() async throws(OAuthFailure) -> AuthorizationServerMetadata {
        do {
            let found = try await MetadataClient(
                transport: transport, profile: .plain, policy: policy, now: now
            ).authorizationServer(issuer: issuer, protecting: nil)
            metadata.remember(found)
            return found
        } catch {
            throw OAuthFailure(error)
        }
    }
}
