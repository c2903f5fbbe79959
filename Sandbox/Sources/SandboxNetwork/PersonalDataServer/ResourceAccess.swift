/// Decides who makes a request at the PDS (RFC 9449 §7; cases 400-428, `protocol` section 4c).
struct ResourceAccess: Sendable {
    let origins: Origins
    let clock: SandboxClock
    let state: AuthorizationState
    let signer: AccessTokenSigner
    let proofs: DPoPVerifier
    let passwordTokens: PasswordTokenSigner
    let passwordSessions: PasswordSessions
    let accounts: AccountRegistry
    let profile: ServerProfile

    /// The caller of a method, or `nil` for open methods.
    func caller(of exchange: Exchange, for access: XRPCMethod.Access) async throws(XRPCFailure) -> Caller? {
        guard access.needsAuthorization else { return nil }
        guard let header = exchange.header("authorization") else {
            throw XRPCFailure(401, "AuthMissing", "Authentication Required", .authorizationMissing)
        }
        let parts = header.split(separator: " ", omittingEmptySubsequences: false)
        switch parts.first?.lowercased() {
        case "dpop" where parts[0] == "DPoP" || !profile.calls.schemeIsExact:
            guard parts.count == 2, !parts[1].isEmpty else {
                throw XRPCFailure(
                    400, "invalid_request", "Invalid authorization header", .authorizationMalformed)
            }
            exchange.note { $0.auth = .oauth }
            guard case .session = access else { throw Self.wrongScheme }
            return Caller(try await session(token: String(parts[1]), exchange))
        case "bearer":
            exchange.note { $0.auth = .bearer }
            let token = parts.dropFirst().joined(separator: " ")
            switch access {
            case .refresh(let allowsExpired):
                return try await bearer(token, exchange, [.refresh], allowsExpired: allowsExpired)
            case .deletion where !profile.passwords.deleteTakesAccess:
                return try await bearer(token, exchange, [.refresh], allowsExpired: true)
            case .deletion, .session, .open:
                return try await bearer(token, exchange, Caller.PasswordScope.accessScopes)
            }
        default:
            throw Self.wrongScheme
        }
    }

    private static let wrongScheme = XRPCFailure(
        400, "InvalidToken", "Unexpected authorization type", .authorizationScheme)

    /// The account that a JWT of a password session belongs to (`protocol` section 4d).
    private func bearer(
        _ token: String,
        _ exchange: Exchange,
        _ scopes: Set<Caller.PasswordScope>,
        allowsExpired: Bool = false
    ) async throws(XRPCFailure) -> Caller {
        guard let claims = passwordTokens.claims(of: token) else {
            // This is the answer of the PDS. Case 413 recorded the provider's verifier, which answers differently.
            if (try? signer.claims(of: token)) != nil {
                throw XRPCFailure(400, "InvalidToken", "Malformed token", .jwtOfOAuth)
            }
            let reason = CompactJWS(token) == nil ? XRPCFailure.Reason.jwtMalformed : .jwtUnverified
            throw XRPCFailure(400, "InvalidToken", "Token could not be verified", reason)
        }
        guard let account = accounts.find(claims["sub"]?.string ?? "") else {
            throw XRPCFailure(403, "AccountNotFound", "Account not found")
        }
        exchange.note { $0.account = account.did }
        guard allowsExpired || claims["exp"]?.integer ?? 0 > clock.seconds else {
            throw XRPCFailure(400, "ExpiredToken", "Token has expired")
        }
        guard let scope = claims["scope"]?.string.flatMap(Caller.PasswordScope.init), scopes.contains(scope)
        else { throw XRPCFailure(400, "InvalidToken", "Bad token scope") }
        if scope != .refresh, profile.passwords.accessEndsWithRefresh,
            await !passwordSessions.isCurrent(claims["jti"]?.string ?? "")
        {
            throw XRPCFailure(400, "InvalidToken", "Token has been revoked", .jwtRevoked)
        }
        return Caller(account: account, scope: scope, refreshTokenID: claims["jti"]?.string)
    }

    private func session(token: String, _ exchange: Exchange) async throws(XRPCFailure) -> Session {
        let proof: DPoPProof
        let identifier: String
        do throws(ProofFailure) {
            let url = origins[.personalDataServer] + exchange.path
            guard let verified = try proofs.verify(exchange, url: url, accessToken: token) else {
                throw .invalidProof("DPoP proof required")
            }
            proof = verified
            identifier = try self.identifier(of: token)
        } catch {
            let isMissing = exchange.header("dpop") == nil
            throw XRPCFailure(error, isMissing ? .proofMissing : nil)
        }
        guard let session = await state.session(accessTokenID: identifier) else {
            throw XRPCFailure(ProofFailure.invalidToken("Invalid token"))
        }
        guard session.accessTokenExpires > clock.now else {
            let failure = ProofFailure.invalidToken("\"exp\" claim timestamp check failed")
            throw XRPCFailure(failure, .expiredToken)
        }
        guard session.jkt == proof.jkt else {
            throw XRPCFailure(ProofFailure.invalidToken("Invalid DPoP key binding"), .keyMismatch)
        }
        exchange.note {
            $0.account = session.account.did
            $0.clientID = session.clientID
        }
        return session
    }

    /// The identifier of an access token.
    private func identifier(of token: String) throws(ProofFailure) -> String {
        if profile.tokens.access == .opaque { return token }
        guard let identifier = try signer.claims(of: token)["jti"]?.string else {
            throw .invalidToken("Invalid token")
        }
        return identifier
    }
}
