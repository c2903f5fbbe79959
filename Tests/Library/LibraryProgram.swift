internal import ATPNetworking
internal import ATProtoCurl
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthEtcdRows
internal import FoundationEssentials
internal import HTTPTypes

/// Uses the library in a process of its own, which a test can kill:
///
///     bskyauth-library NETWORK HOME KEYFILE login HANDLE [LABEL]     writes the UUID of the account
///     bskyauth-library NETWORK HOME KEYFILE call|refresh TIMES       as the first account; writes how often it had to give way
///
/// The vault is made if there is none. The server has to approve by itself.
@main struct LibraryProgram {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count >= 5 else { throw Usage() }
        let policy = NetworkPolicy(devNetwork: try HTTPURL(validating: words[0]).origin)
        let transport = CurlTransport(policy: policy, userAgent: "bskyauth-library")
        let client = ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback"),
            store: try await vault(at: words[1], .keyFile(words[2])), transport: transport,
            identities: NetworkIdentities(transport: transport, textRecords: nil, policy: policy),
            policy: policy)
        switch (words[3], words.count, Int(words[4])) {
        case ("login", 5...6, _):
            let account = try await client.login(
                words[4], label: words.count == 6 ? words[5] : nil, with: Approval(transport: transport))
            print(account.id.uuidString.lowercased())
        case ("call", 5, let times?):
            let agent = client.agent(for: try await firstAccount(of: client))
            try await repeated(times) {
                _ = try await agent.query("com.atproto.server.getSession", as: Answer.self)
            }
        case ("refresh", 5, let times?):
            let id = try await firstAccount(of: client)
            try await repeated(times) { try await client.refresh(id) }
        default: throw Usage()
        }
    }

    struct Usage: Error, CustomStringConvertible {
        let description =
            "bskyauth-library NETWORK HOME KEYFILE login HANDLE [LABEL] | call TIMES | refresh TIMES"
    }

    private struct Answer: Decodable { let did: String }

    private static func firstAccount(of client: ATProtoClient) async throws -> UUID {
        guard let account = try await client.accounts.first else { throw Usage() }
        return account.id
    }

    /// Does it again and again. An error that may pass is counted. Every other one ends the program.
    private static func repeated(_ times: Int, _ work: () async throws -> Void) async throws {
        var gaveWay = 0
        for _ in 0..<times {
            do { try await work() } catch let error as ATProtoFailure where error.mayPass { gaveWay += 1 }
        }
        print(gaveWay)
    }

    private static func vault(at home: String, _ key: VaultKey) async throws -> FileVault {
        let stores = FileVault.Stores { url, password in
            try EtcdRows(url: url, password: password) {
                CurlTransport(policy: $0, userAgent: "bskyauth-library")
            }
        }
        do { return try await FileVault.open(at: home, key: key, stores: stores) } catch {
            guard error.code == .missing else { throw error }
            return try await FileVault.create(at: home, key: key)
        }
    }
}

/// Follows the redirects of a server that approves every login.
private struct Approval: UserAgent {
    let transport: CurlTransport

    func authorize(_ page: HTTPURL, redirectURI: String) async throws -> String {
        var url = page.description
        for _ in 0..<5 where !url.hasPrefix(redirectURI) {
            let next = try HTTPURL(validating: url)
            let answer = try await transport.send(TransportRequest(method: .get, url: next))
            guard let location = answer.headerFields[.location] else { throw NotApproved() }
            url = location.hasPrefix("/") ? next.origin.description + location : location
        }
        return url
    }

    private struct NotApproved: Error {}
}
