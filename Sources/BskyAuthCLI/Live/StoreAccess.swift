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
                throw .storeURL(url, "\(error)")
            }
        }
    }

    /// Refuses a URL that can't be used, and a password in it.
    func check(_ url: String, _ password: SecretBytes?) throws { _ = try opener.open(url, password) }

    /// Makes what a store needs before it has its first vault.
    func prepare(_ url: String, _ password: SecretBytes?) async throws {}

    private func etcd(_ url: String, _ password: SecretBytes?) throws(EtcdURLError) -> any RowStore {
        let cluster = try EtcdCluster(url: url, password: password)
        let configuration = CurlConfiguration(
            userAgent: "bskyauth/\(BskyAuthVersion.text)", environment: environment)
        return EtcdRows(
            cluster,
            transport: LoggedTransport(
                CurlTransport(policy: cluster.policy, configuration: configuration), log: console.log))
    }
}
