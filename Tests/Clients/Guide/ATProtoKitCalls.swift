import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Calls as ATProtoKit makes them (APIClientService.swift): a request with its header fields, and an executor that sends it.
struct ATProtoKitCalls: Sendable {
    let session: any SessionConfiguration

    struct Answer: Sendable {
        let status: Int
        let body: Data
        let contentType: String?
    }

    func query(
        _ nsid: String, _ items: [(String, String)] = [], at server: String? = nil,
        _ requirement: ATRequestAuthorizationRequirement = .session, _ fields: [String: String] = [:]
    ) async throws -> Answer {
        var components = URLComponents(string: "\(server ?? session.pdsURL)/xrpc/\(nsid)")
        if !items.isEmpty { components?.queryItems = items.map { URLQueryItem(name: $0.0, value: $0.1) } }
        guard let url = components?.url else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = "GET"
        return try await send(&request, requirement, fields)
    }

    func procedure(
        _ nsid: String, _ body: Data, contentType: String = "application/json",
        _ fields: [String: String] = [:]
    ) async throws -> Answer {
        guard let url = URL(string: "\(session.pdsURL)/xrpc/\(nsid)") else { throw URLError(.badURL) }
        var request = URLRequest(url: url)
        request.httpMethod = "POST"
        request.httpBody = body
        request.addValue(contentType, forHTTPHeaderField: "Content-Type")
        return try await send(&request, .session, fields)
    }

    private func send(
        _ request: inout URLRequest, _ requirement: ATRequestAuthorizationRequirement,
        _ fields: [String: String]
    ) async throws -> Answer {
        request.addValue("application/json", forHTTPHeaderField: "Accept")
        for (name, value) in fields { request.addValue(value, forHTTPHeaderField: name) }
        if !session.requestExecutorOwnsAuthorization {
            request = try await session.authenticatedRequest(
                for: request, authorizationRequirement: requirement)
        }
        guard let executor = session.requestExecutor else { throw URLError(.unknown) }
        let (body, response) = try await executor.execute(request, authorizationRequirement: requirement)
        guard let response = response as? HTTPURLResponse else { throw URLError(.badServerResponse) }
        return Answer(
            status: response.statusCode, body: body,
            contentType: response.value(forHTTPHeaderField: "content-type"))
    }
}
