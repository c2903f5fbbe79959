internal import ATPJSON
package import ATPNetworking
internal import HTTPTypes

#if canImport(FoundationEssentials)
    package import FoundationEssentials
#else
    package import Foundation
#endif

/// Fetches the metadata of servers. It decides where secrets are sent, so the checks are strict: status 200, no
/// redirect, JSON only, no repeated names (protocol:R18-R22).
package struct MetadataClient: Sendable {
    private let transport: any HTTPTransport
    private let profile: OAuthProfile
    private let policy: NetworkPolicy
    private let now: @Sendable () -> Date

    /// - Parameter now: the time of this machine.
    package init(
        transport: any HTTPTransport, profile: OAuthProfile, policy: NetworkPolicy,
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.transport = transport
        self.profile = profile
        self.policy = policy
        self.now = now
    }

    /// Fetches the metadata of a resource server, which names the issuer of its tokens (RFC 9728 §3).
    package func protectedResource(
        at origin: Origin
    ) async throws(DiscoveryError) -> ProtectedResourceMetadata {
        let (json, _) = try await document(.protectedResource, at: ProtectedResourceMetadata.url(of: origin))
        return try ProtectedResourceMetadata(
            json: json, origin: origin, profile: profile, policy: policy)
    }

    /// Fetches the metadata of an authorization server (RFC 8414 §3).
    ///
    /// - Parameter resource: the resource server that named this one. A list of protected resources must contain it
    ///   (protocol:R22).
    package func authorizationServer(
        issuer: Issuer, protecting resource: ProtectedResourceMetadata?
    ) async throws(DiscoveryError) -> AuthorizationServerMetadata {
        let url = AuthorizationServerMetadata.url(of: issuer)
        let (json, clockOffset) = try await document(.authorizationServer, at: url)
        var metadata = try AuthorizationServerMetadata(
            json: json, issuer: issuer, profile: profile, policy: policy)
        metadata.clockOffset = clockOffset
        if let resource, let protected = metadata.protectedResources, !protected.contains(resource.resource) {
            throw DiscoveryError(
                .resourceNotProtected(resource.resource), document: .authorizationServer, url: "\(url)")
        }
        return metadata
    }

    private func document(
        _ document: DiscoveryError.Document, at url: HTTPURL
    ) async throws(DiscoveryError) -> (JSONValue, clockOffset: Int64?) {
        func error(_ code: DiscoveryError.Code) -> DiscoveryError {
            DiscoveryError(code, document: document, url: url.description)
        }
        if let refusal = policy.refusal(of: url) {
            throw error(.transport(TransportError(.refused(refusal), requestWasSent: false, url: "\(url)")))
        }
        let request = TransportRequest(
            method: .get, url: url, headerFields: [.accept: "application/json"], timeouts: .metadata)
        let body: [UInt8]
        let refused: DiscoveryError.Code?
        let clockOffset: Int64?
        do {
            let response = try await transport.send(request)
            refused = Self.refusal(of: response)
            clockOffset = self.clockOffset(of: response.headerFields)
            if refused == nil {
                body = try await response.body.collect(upTo: Self.longestDocument)
            } else {
                response.body.cancel()
                body = []
            }
        } catch let failure {
            throw error(.transport(failure))
        }
        if let refused { throw error(refused) }
        do {
            return (try JSONParser.parse(body), clockOffset)
        } catch let reason {
            throw error(.malformed(reason))
        }
    }

    /// Nil for a copy from a cache, whose `Date` is older than the answer (RFC 9110 §6.6.1, RFC 9111 §5.1).
    private func clockOffset(of headerFields: HTTPFields) -> Int64? {
        guard headerFields[.age] == nil, let serverTime = headerFields.serverTime else { return nil }
        return serverTime - Int64(now().timeIntervalSince1970.rounded(.down))
    }

    private static func refusal(of response: TransportResponse) -> DiscoveryError.Code? {
        switch response.status {
        case 200: response.headerFields.mediaType == "application/json" ? nil : .mediaType
        case 300..<400: .redirect
        default: .status(response.status)
        }
    }

    private static let longestDocument = 65536
}
