internal import ATPNetworking
internal import ATProtoCurl
internal import ATProtoIdentity
internal import ATProtoSessions
internal import ATProtoVault
internal import BskyAuthEtcdRows
internal import FoundationEssentials
internal import HTTPTypes

/// Logs in with the library, in a process that a test can kill: `bskyauth-library-login NETWORK HOME KEYFILE HANDLE [LABEL]`.
///
/// It writes the UUID of the account. The vault is made if there is none. The server has to approve by itself.
@main struct LibraryLogin {
    static func main() async throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count == 4 || words.count == 5 else { throw Usage() }
        let policy = NetworkPolicy(devNetwork: try HTTPURL(validating: words[0]).origin)
        let transport = CurlTransport(policy: policy, userAgent: "bskyauth-library-login")
        let client = ATProtoClient(
            as: .loopback(redirectURI: "http://127.0.0.1/callback"),
            store: try await vault(at: words[1], .keyFile(words[2])), transport: transport,
            identities: NetworkIdentities(transport: transport, textRecords: nil, policy: policy),
            policy: policy)
        let account = try await client.login(
            words[3], label: words.count == 5 ? words[4] : nil, with: Approval(transport: transport))
        print(account.id.uuidString.lowercased())
    }

    struct Usage: Error, CustomStringConvertible {
        let description = "bskyauth-library-login NETWORK HOME KEYFILE HANDLE [LABEL]"
    }

    private static func vault(at home: String, _ key: VaultKey) async throws -> FileVault {
        let stores = FileVault.Stores { url, password in
            try EtcdRows(url: url, password: password) {
                CurlTransport(policy: $0, userAgent: "bskyauth-library-login")
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
