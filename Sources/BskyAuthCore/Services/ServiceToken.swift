internal import ATPJSON
internal import ATPNetworking
package import ATProtoIdentity
internal import ATProtoXRPC
package import FoundationEssentials
package import OAuthDPoP

/// What a service token is asked for: one method of one service, for a short time.
package struct ServiceTokenRequest: Sendable {
    /// The service that the user named.
    package let target: ServiceAudience
    /// What the token says of it. Services want their DID, and some want their name in its document too.
    package let audience: ServiceAudience
    package let method: NSID
    package let lifetime: Duration

    /// - Parameter namesService: whether the audience has the name of the service too, if the user named it.
    package init(_ target: ServiceAudience, _ method: NSID, lifetime: Duration, namesService: Bool) {
        self.target = target
        audience = namesService ? target : .did(target.did)
        self.method = method
        self.lifetime = lifetime
    }

    /// Whether a scope that was asked for would be enough if the audience named the service.
    package func isCovered(byNaming scope: Scope) -> Bool {
        guard audience != target else { return false }
        return Permissions(requested: scope.values).cover(.needed(for: method, at: target))
    }

    /// The call that asks for a token, at the account's own server.
    ///
    /// - Parameter expiry: when the token ends, in seconds since 1970 by the server's clock.
    func call(expiry: Int64) -> XRPCRequest {
        XRPCRequest(
            .query, .getServiceAuth,
            parameters: [
                "aud": audience.description, "lxm": method.description, "exp": String(expiry),
            ])
    }
}

/// A token with which a service believes that an account calls it (atproto.com/specs/xrpc, Inter-Service Authentication;
/// protocol:X13). Whoever has it can make this one call as the account until the token ends.
package struct ServiceToken: Sendable, CustomStringConvertible {
    private let token: AccessToken
    package let expiresAt: Date

    /// Reads a token, and refuses one that was not asked for. The signature is for the service to check.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970 by the server's clock.
    ///   - expiry: the latest time at which the token may end, by the same clock.
    init(
        _ text: String, for request: ServiceTokenRequest, of account: DID, now: Int64, expiry: Int64
    ) throws(ServiceTokenProblem) {
        token = AccessToken(text)
        // Any other character would end a line of the output or of a request's header.
        guard text.utf8.allSatisfy(Self.isOfJWT), let claims = token.claims else { throw .malformed }
        guard claims["iss"]?.string == account.description else { throw .issuer }
        guard claims["aud"]?.string == request.audience.description else { throw .audience }
        guard claims["lxm"]?.string == request.method.description else { throw .method }
        guard let end = claims["exp"]?.integer, end > now, end <= expiry else { throw .expiry }
        expiresAt = Date(timeIntervalSince1970: Double(end))
    }

    /// The token as text, for the service or the user only.
    package func reveal() -> String { token.reveal() }

    package var description: String { "<redacted>" }

    private static func isOfJWT(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, 0x2d, 0x2e, 0x5f: true
        default: false
        }
    }
}

/// Why a token is not what was asked for.
package enum ServiceTokenProblem: Error, Sendable, Hashable {
    /// The response has no JWT.
    case malformed
    /// It speaks for another account.
    case issuer
    /// It is for another service.
    case audience
    /// It is for another method or for every method.
    case method
    /// It has ended, lasts longer than asked for, or does not say when it ends.
    case expiry
}
