internal import ATPCryptography
internal import ATPNetworking
internal import ATProtoCurl
internal import ATProtoVault
internal import BskyAuthEtcdRows
internal import BskyAuthRows

#if PostgreSQL
    internal import BskyAuthPostgresRows
#endif

/// Opens the stores of shared vaults: etcd, and PostgreSQL if this program was built with the trait of that name.
struct RowStoreOpener: Sendable {
    /// The environment, which may name the certificates to trust.
    let environment: [String: String]
    let console: Console

    var opener: StoreOpener {
        StoreOpener { url, password throws(VaultError) in
            if ["postgres:", "postgresql:"].contains(where: url.hasPrefix) {
                return try postgres(url, password)
            }
            guard ["etcd:", "etcd+http:"].contains(where: url.hasPrefix) else {
                throw .storeURL(
                    url,
                    "a store is etcd://…, postgres://… or, on this machine, etcd+http://…; others lose writes"
                )
            }
            do throws(EtcdURLError) { return try etcd(url, password) } catch {
                throw .storeURL(url, "\(error)")
            }
        }
    }

    /// Refuses a URL that can't be used, and a password in it.
    func check(_ url: String, _ password: SecretBytes?) throws { _ = try opener.open(url, password) }

    /// Makes what a store needs before it has its first vault, and refuses one that does not keep what it confirms.
    func prepare(_ url: String, _ password: SecretBytes?) async throws {
        let rows = try opener.open(url, password)
        do { try await rows.prepare() } catch { throw VaultError.store(error) }
    }

    private func etcd(_ url: String, _ password: SecretBytes?) throws(EtcdURLError) -> any RowStore {
        let cluster = try EtcdCluster(url: url, password: password)
        let configuration = CurlConfiguration(
            userAgent: "bskyauth/\(BskyAuthVersion.text)", environment: environment)
        return EtcdRows(
            cluster,
            transport: LoggedTransport(
                CurlTransport(policy: cluster.policy, configuration: configuration), log: console.log))
    }

    #if PostgreSQL
        private func postgres(_ url: String, _ password: SecretBytes?) throws(VaultError) -> any RowStore {
            do throws(PostgresURLError) {
                return PostgresRows(try PostgresServer(url: url, password: password))
            } catch { throw .storeURL(url, "\(error)") }
        }
    #else
        private func postgres(_ url: String, _ password: SecretBytes?) throws(VaultError) -> any RowStore {
            throw .storeURL(url, "this bskyauth has no PostgreSQL; install the package bskyauth-postgres")
        }
    #endif
}
