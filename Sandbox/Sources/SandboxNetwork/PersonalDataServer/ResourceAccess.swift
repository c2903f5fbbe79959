/// Decides who makes a request at the PDS (RFC 9449 §7; cases 400-428, `protocol` section 4c).
struct ResourceAccess: Sendable {
    let origins: Origins
    let clock: SandboxClock
    let state: AuthorizationState
    let signer: AccessTokenSigner
    let proofs: DPoPVerifier
    let passwordTokens: PasswordTokenSigner
    let accounts: AccountRegistry

    /// Who calls a method; `nil` for those that anyone may call.
    func caller(of exchange: Exchange, for method: XRPCMethod) async throws(XRPCFailure) -> Caller? {
        guard method.access.needsAuthorization else { return nil }
        guard let header = exchange.header("authorization") else {
            throw XRPCFailure(401, "AuthMissing", "Authentication Required")
        }
        let parts = header.split(separator: " ", omittingEmptySubsequences: false)
        switch parts.first?.lowercased() {
        case "dpop":
            guard parts.count == 2, !parts[1].isEmpty else {
                throw XRPCFailure(400, "invalid_request", "Invalid authorization header")
            }
            exchange.note { $0.auth = .oauth }
            guard case .session = method.access else {
                throw XRPCFailure(400, "InvalidToken", "Unexpected authorization type")
            }
            return Caller(try await session(token: String(parts[1]), exchange))
        case "bearer":
            exchange.note { $0.auth = .bearer }
            let token = parts.dropFirst().joined(separator: " ")
            guard case .refresh(let allowsExpired) = method.access else {
                return try bearer(token, exchange, Caller.PasswordScope.accessScopes)
            }
            return try bearer(token, exchange, [.refresh], allowsExpired: allowsExpired)
        default:
            throw XRPCFailure(400, "InvalidToken", "Unexpected authorization type")
        }
    }

    /// Who a JWT of a password session was given to (`protocol` section 4d).
    private func bearer(
        _ token: String,
        _ exchange: Exchange,
        _ scopes: Set<Caller.PasswordScope>,
        allowsExpired: Bool = false
    ) throws(XRPCFailure) -> Caller {
        guard let claims = passwordTokens.claims(of: token) else {
            // The PDS, not the provider's verifier that was recorded in case 413, answers this way.
            let isOurs = (try? signer.claims(of: token)) != nil
            let reason = isOurs ? "Malformed token" : "Token could not be verified"
            throw XRPCFailure(400, "InvalidToken", reason)
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
        return Caller(account: account, scope: scope, refreshTokenID: claims["jti"]?.string)
    }

    private func session(token: String, _ exchange: Exchange) async throws(XRPCFailure) -> Session {
        do throws(ProofFailure) {
            let url = origins[.personalDataServer] + exchange.path
            guard let proof = try proofs.verify(exchange, url: url, accessToken: token) else {
                throw .invalidProof("DPoP proof required")
            }
            let claims = try signer.claims(of: token)
            guard let expiry = claims["exp"]?.integer, expiry > clock.seconds else {
                throw .invalidToken("\"exp\" claim timestamp check failed")
            }
            guard claims["cnf"]?["jkt"]?.string == proof.jkt else {
                throw .invalidToken("Invalid DPoP key binding")
            }
            guard let identifier = claims["jti"]?.string,
                let session = await state.session(accessTokenID: identifier)
            else { throw .invalidToken("Invalid token") }
            exchange.note {
                $0.account = session.account.did
                $0.clientID = session.clientID
            }
            return session
        } catch {
            throw XRPCFailure(error)
        }
    }
}
