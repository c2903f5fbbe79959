internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird

extension BackendRoutes {
    func addAssertions(_ assertions: Assertions, to router: Router<ServerContext>) {
        router.post("/oauth/client-assertion") { request, context in
            var response: Response
            do {
                response = try await assertion(assertions, request, context)
            } catch {
                let problem = (error as? Problem) ?? assertions.failed(error)
                response = try Response(
                    json: AssertionProblem(error: problem.code, description: problem.message),
                    status: problem.status)
                if let wait = problem.retryAfter { response.headers[.retryAfter] = String(wait) }
            }
            response.headers[.dpopNonce] = assertions.nonces.current
            return response
        }
        router.get("/oauth/loopback") { request, _ in try handOn(request) }
    }

    private func assertion(
        _ assertions: Assertions, _ request: Request, _ context: ServerContext
    ) async throws -> Response {
        let client = clients.client(of: request, context)
        try assertions.limits.count(client)
        let fields: [String: String]
        do { fields = try await request.form() } catch let problem as Problem {
            throw Problem(problem.status, "invalid_request", problem.message)
        }
        guard let audience = fields["aud"] else {
            throw Problem(
                .badRequest, "invalid_request", "aud is missing. Send the issuer of the authorization server."
            )
        }
        let proofs = request.headers[values: .dpop]
        let text = try await assertions.make(
            proofs.count == 1 ? proofs[0] : nil,
            Assertions.Facts(
                audience: audience, client: client,
                certificate: certificate(assertions.settings.certificateHeader, request, context),
                code: fields["enrolment_code"], attestation: fields["attestation"]))
        return try Response(json: AssertionAnswer(clientID: assertions.clientID, assertion: text))
    }

    /// The certificate of the connection, as the proxy names it. Only a trusted proxy is believed, and only if the field is
    /// there once.
    private func certificate(
        _ header: HTTPField.Name?, _ request: Request, _ context: ServerContext
    ) -> String? {
        guard let header, let peer = context.peer, configuration.trustedProxies.contains(peer) else {
            return nil
        }
        let values = request.headers[values: header]
        return values.count == 1 ? values[0] : nil
    }

    /// The end of a login of a program: sends the browser on to the program, which listens on the person's machine. The code
    /// is of no use without the program's key and verifier.
    private func handOn(_ request: Request) throws -> Response {
        let given = try request.query()
        let names = ["code", "state", "iss", "error", "error_description"]
        let answer = names.compactMap { name in given[name].map { (name, $0) } }
        guard let state = given["state"], state.utf8.count <= 2048 else {
            throw Problem(.badRequest, "invalid_request", "This address belongs to no login. Start it again.")
        }
        let query = answer.map { "\($0)=\(FormText.encode($1))" }.joined(separator: "&")
        guard let match = state.wholeMatch(of: /([1-9][0-9]{3,4})\.[A-Za-z0-9_-]{22,}/),
            let port = Int(match.1),
            (1024...65535).contains(port)
        else {
            return Response(
                Pages.paste("\(configuration.baseURL)/oauth/loopback?\(query)"),
                appName: configuration.appName)
        }
        return Response(seeOther: "http://127.0.0.1:\(port)/callback?\(query)")
    }
}

private struct AssertionAnswer: Encodable {
    let clientID: String
    let assertion: String

    private enum CodingKeys: String, CodingKey {
        case clientID = "client_id"
        case assertion = "client_assertion"
    }
}

/// An error of OAuth (RFC 6749 §5.2).
private struct AssertionProblem: Encodable {
    let error: String
    let description: String

    private enum CodingKeys: String, CodingKey {
        case error
        case description = "error_description"
    }
}
