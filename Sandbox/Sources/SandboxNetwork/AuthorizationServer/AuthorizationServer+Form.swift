extension AuthorizationServer {
    /// The reference server's error text for a request without client_id (cases 143, 323, 520, 635).
    static let missingCredentials =
        "Client credentials missing: Required at body.client_id; Invalid literal value, expected "
        + "\"urn:ietf:params:oauth:client-assertion-type:jwt-bearer\" at body.client_assertion_type; "
        + "Required at body.client_assertion, or Required at body.client_id; Required at body.client_secret, "
        + "or Required at body.client_id"

    /// The fields of a form or JSON body (cases 186, 187).
    func form(of exchange: Exchange) async throws(OAuthFailure) -> FormBody {
        let bytes: [UInt8]
        do {
            bytes = try await exchange.body(upTo: 102_400)
        } catch {
            throw OAuthFailure("invalid_request", "request entity too large", status: 413)
        }
        let form = try form(bytes, of: exchange)
        assertions.note(form, of: exchange)
        return form
    }

    private func form(_ bytes: [UInt8], of exchange: Exchange) throws(OAuthFailure) -> FormBody {
        switch exchange.mediaType {
        case "application/x-www-form-urlencoded":
            return FormBody(urlencoded: String(decoding: bytes, as: UTF8.self))
        case "application/json":
            guard let json = try? JSONValue(parsing: bytes), json.members != nil else {
                throw OAuthFailure("invalid_request", "Invalid JSON")
            }
            return FormBody(json: json)
        case let other:
            throw OAuthFailure(
                "invalid_request", "Unsupported content-type: \(other ?? "undefined")", status: 415,
                reason: .mediaType)
        }
    }

    /// The client of a request and how it authenticated. This never looks at the code or token of the request.
    func authenticated(
        _ clientID: String, _ form: FormBody, proof: DPoPProof?
    ) async throws(OAuthFailure) -> (OAuthClient, ClientAuthentication) {
        let client = try await clients.find(clientID)
        let audiences =
            profile.assertions.mayNameTokenEndpoint ? [issuer, issuer + "/oauth/token"] : [issuer]
        return (client, try assertions.verify(form, of: client, audiences: audiences, proof: proof))
    }

    /// Verifies the request's DPoP proof. Returns `nil` when the request has none.
    func verifyProof(of exchange: Exchange) throws(OAuthFailure) -> DPoPProof? {
        do throws(ProofFailure) {
            return try proofs.verify(exchange, url: issuer + exchange.path)
        } catch {
            throw OAuthFailure(error)
        }
    }
}
