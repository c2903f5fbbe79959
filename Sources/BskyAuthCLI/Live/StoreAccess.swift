internal import ATPCryptography
internal import ATPNetworking
internal import ATProtoCurl
internal import ATProtoVault
internal import BskyAuthEtcdRows
internal import BskyAuthRows

/// Opens the stores of shared vaults.
struct StoreAccess: Sendable {
    /// The environment, which may name the certificates to trust.
    let environment: [String: String]
    let console: Console

    var opener: StoreOpener {
        StoreOpener { url, password throws(VaultError) in
            do throws(EtcdURLError) { return try etcd(url, password) } catch {
                throw .storeURL(url, Self.words(error))
            }
        }
    }

    /// Refuses a URL that can't be used, and a password in it.
    func check(_ url: String, _ password: SecretBytes?) throws { _ = try opener.open(url, password) }

    /// Makes what a store needs before it has its first vault.
    func prepare(_ url: String, _ password: SecretBytes?) async throws {}

    private func etcd(_ url: String, _ password: SecretBytes?) throws(EtcdURLError) -> any RowStore {
        let cluster = try EtcdCluster(url: url, password: password)
        // A store is the user's own, so it may have a private address. Without TLS it is on this machine.
        let plain = cluster.nodes.first { $0.scheme == .http }
        let policy =
            if let plain { NetworkPolicy(devNetwork: plain) } else {
                NetworkPolicy(allowsPrivateNetwork: true)
            }
        let configuration = CurlConfiguration(
            userAgent: "bskyauth/\(BskyAuthVersion.text)", environment: environment)
        return EtcdRows(
            cluster,
            transport: LoggedTransport(
                CurlTransport(policy: policy, configuration: configuration), log: console.log))
    }

    private static func words(_ problem: EtcdURLError) -> String {
        switch problem {
        case .malformed: "it is not in the form etcd://NODE,NODE/PREFIX"
        case .password:
            "it has a password, which other users could read; put the password into a file and name that with --store-password-file"
        case .node(let node): "\"\(node)\" is not a node"
        case .prefix: "it names no prefix of letters, digits and -._/ after the nodes, for example /bskyauth"
        case .noTLS(let host): "etcd+http has no TLS and works on this machine only, not with \(host)"
        case .credentials:
            "a user needs a password, and a password needs a user: etcd://USER@NODE/PREFIX and --store-password-file"
        }
    }
}
