import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

// What the bridge needs of ATProtoKit, declared again, because ATProtoKit is no dependency here. A program that has ATProtoKit
// imports it and leaves this file out.
//
// The signatures are those of MasterJ93/ATProtoKit at db8e30690e78 (August 2026): ATRequestExecutor.swift,
// SessionAuthorization.swift, SessionConfiguration.swift and ATOAuthSessionConfiguration.swift. Earlier versions have
// `execute(_:)` without the requirement (e1eb6fd5d8c8).

/// Whether a request is made as the account.
enum ATRequestAuthorizationRequirement: Sendable, Equatable {
    case none
    case session
}

/// Sends the requests of ATProtoKit.
protocol ATRequestExecutor: Sendable {
    func execute(
        _ request: URLRequest, authorizationRequirement: ATRequestAuthorizationRequirement
    ) async throws -> (Data, URLResponse)
}

/// Header fields that authorize a request.
struct SessionAuthorization: Sendable, Equatable {
    let authorizationValue: String
    let additionalHeaders: [String: String]
}

/// Whose session it is.
struct SessionAuthorizationContext: Sendable, Equatable {
    let sessionDID: String
    let handle: String?
    let serviceEndpoint: URL
    let grantedScopes: Set<String>

    init(
        sessionDID: String, handle: String? = nil, serviceEndpoint: URL, grantedScopes: Set<String> = []
    ) {
        self.sessionDID = sessionDID
        self.handle = handle
        self.serviceEndpoint = serviceEndpoint
        self.grantedScopes = grantedScopes
    }
}

/// Adds header fields to a request.
protocol ATRequestAuthenticator: Sendable {
    func authenticatedRequest(
        for request: URLRequest, authorizationRequirement: ATRequestAuthorizationRequirement
    ) async throws -> URLRequest
}

/// A session of ATProtoKit.
protocol SessionConfiguration: AnyObject, ATRequestAuthenticator, Sendable {
    var pdsURL: String { get }
    var configuration: URLSessionConfiguration { get }
    var instanceUUID: UUID { get }
    var requestExecutor: (any ATRequestExecutor)? { get }
    var requestExecutorOwnsAuthorization: Bool { get }
    func authorization(for request: URLRequest) async throws -> SessionAuthorization?
    func authorizationContext() async throws -> SessionAuthorizationContext?
}

extension SessionConfiguration {
    func authenticatedRequest(
        for request: URLRequest, authorizationRequirement: ATRequestAuthorizationRequirement
    ) async throws -> URLRequest {
        guard authorizationRequirement == .session, let fields = try await authorization(for: request) else {
            return request
        }
        var request = request
        request.setValue(fields.authorizationValue, forHTTPHeaderField: "Authorization")
        for (name, value) in fields.additionalHeaders { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }
}

/// The session of another package's OAuth.
final class ATOAuthSessionConfiguration: SessionConfiguration {
    let pdsURL: String
    let configuration: URLSessionConfiguration
    let instanceUUID: UUID
    let requestExecutor: (any ATRequestExecutor)?
    var requestExecutorOwnsAuthorization: Bool { true }
    private let contextProvider: @Sendable () async throws -> SessionAuthorizationContext?
    private let deletionHandler: @Sendable () async throws -> Void

    init(
        pdsURL: String, configuration: URLSessionConfiguration = .default, instanceUUID: UUID = UUID(),
        requestExecutor: any ATRequestExecutor,
        contextProvider: @escaping @Sendable () async throws -> SessionAuthorizationContext?,
        refreshHandler: (@Sendable () async throws -> SessionAuthorizationContext?)? = nil,
        deletionHandler: @escaping @Sendable () async throws -> Void = {}
    ) {
        self.pdsURL = pdsURL
        self.configuration = configuration
        self.instanceUUID = instanceUUID
        self.requestExecutor = requestExecutor
        self.contextProvider = contextProvider
        self.deletionHandler = deletionHandler
    }

    func authorization(for request: URLRequest) async throws -> SessionAuthorization? { nil }
    func authorizationContext() async throws -> SessionAuthorizationContext? {
        try await contextProvider()
    }
    func removeSession() async throws { try await deletionHandler() }
}
