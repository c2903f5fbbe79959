/// Decides who makes a request at the PDS (RFC 9449 §7; cases 400-428, `protocol` section 4c).
struct ResourceAccess: Sendable {
    let origins: Origins
    let clock: SandboxClock
    let state: AuthorizationState
    let signer: AccessTokenSigner
    let proofs: DPoPVerifier

    func session(of exchange: Exchange) async throws(XRPCFailure) -> Session {
        guard let header = exchange.header("authorization") else {
            throw XRPCFailure(401, "AuthMissing", "Authentication Required")
        }
        let parts = header.split(separator: " ", omittingEmptySubsequences: false)
        switch parts.first?.lowercased() {
        case "dpop":
            guard parts.count == 2, !parts[1].isEmpty else {
                throw XRPCFailure(400, "invalid_request", "Invalid authorization header")
            }
            return try await session(token: String(parts[1]), exchange)
        case "bearer":
            // The PDS, not the provider's verifier that was recorded in case 413, answers this way.
            throw XRPCFailure(400, "InvalidToken", "Malformed token")
        default:
            throw XRPCFailure(400, "InvalidToken", "Unexpected authorization type")
        }
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
