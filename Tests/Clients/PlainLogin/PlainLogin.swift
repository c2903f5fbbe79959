internal import ATPNetworking
internal import ATProtoCurl
internal import Foundation
internal import HTTPTypes
internal import OAuthDPoP

/// Logs in to a server of plain OAuth with pushed requests and DPoP, with nothing of AT Protocol:
/// `bskyauth-plain-login ISSUER CLIENT_ID REDIRECT_URI SCOPE RESOURCE_URL`. It is a package of its own, so it sees only what
/// is public.
///
/// It writes a JSON object a line: the URL for the browser, and what became of each step after the redirect's URL was read
/// from standard input. Before its first step and after its last one it waits for a line, so that a test can look at the
/// process. It calls the resource with the first tokens, with refreshed ones, and after a revocation. The
/// authorization goes through its archive, as at a server whose redirect reaches another process.
@main struct PlainLogin {
    private let client: OAuthClient
    private let resource: HTTPURL

    static func main() async {
        do {
            guard CommandLine.arguments.count == 6 else { throw Failure("five arguments are needed") }
            try await PlainLogin(Array(CommandLine.arguments.dropFirst())).run()
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private init(_ words: [String]) throws {
        let (issuer, clientID, redirectURI, scope) = (words[0], words[1], words[2], words[3])
        let authorities = ProcessInfo.processInfo.environment["SSL_CERT_FILE"]
        let policy = NetworkPolicy()
        let transport = CurlTransport(
            policy: policy, userAgent: "bskyauth-plain-login", certificates: authorities)
        client = try OAuthClient(
            issuer: issuer, clientID: clientID, redirectURI: redirectURI, scope: scope,
            transport: transport, policy: policy)
        resource = try HTTPURL(validating: words[4])
    }

    private func run() async throws {
        try write(["ready": true])
        _ = readLine()
        let pending = try await client.begin()
        try write(["url": pending.url.description])
        guard let redirect = readLine() else { throw Failure("there is no redirect") }
        let first = try await finish(pending.archive, redirect)
        let life = (first.expiry ?? Date()).timeIntervalSinceNow.rounded(.up)
        try write(["scope": first.scope, "expires_in": Int(life)])
        try await call(with: first)

        let stored = try TokenSet(archive: first.archive)
        guard let second = try await refreshed(stored) else { throw Failure("the session has ended") }
        try write(["refreshed": true])
        try await call(with: second)

        try await client.revoke(second)
        try write(["revoked": true])
        try await call(with: second)
        try write(["done": true])
        _ = readLine()
    }

    /// The session, in the process that got the redirect.
    private func finish(_ archive: String, _ redirect: String) async throws -> TokenSet {
        let pending = try PendingAuthorization(archive: archive)
        return try await client.complete(pending, redirect: redirect)
    }

    /// The session with new tokens; nil if only a new login helps.
    private func refreshed(_ tokens: TokenSet) async throws -> TokenSet? {
        do {
            return try await client.refresh(tokens)
        } catch let failure where failure.refreshToken == .unusable {
            return nil
        }
    }

    /// Calls the resource. A refused token is a result here.
    private func call(with tokens: TokenSet) async throws {
        do {
            let response = try await client.send(TransportRequest(method: .get, url: resource), with: tokens)
            let body = String(decoding: try await response.body.collect(upTo: 65536), as: UTF8.self)
            try write(["status": response.status, "body": body])
        } catch let failure as OAuthFailure where failure.code == .accessTokenRefused {
            try write(["status": failure.status ?? 0, "refused": failure.description])
        }
    }

    private func write(_ line: [String: Any]) throws {
        let data = try JSONSerialization.data(withJSONObject: line, options: .withoutEscapingSlashes)
        FileHandle.standardOutput.write(data + Data("\n".utf8))
    }
}
