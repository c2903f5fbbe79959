import ATPNetworking
import ATProtoCurl
import ATProtoSessions
import ATProtoVault
import BskyAuthEtcdRows
import JSON

// The example of the article on BskyAuthEtcdRows.
extension Guide {
    /// Prints the accounts of a vault that machines share.
    func shared(_ home: String) async throws {
        let vault = try await shared(at: home, keyFile: home + ".key")
        for account in try await vault.accounts() { try write(line: ["did": account.did.description]) }
    }

    private func shared(at folder: String, keyFile: String) async throws -> FileVault {
        let stores = FileVault.Stores { url, password in
            try EtcdRows(url: url, password: password) { policy in
                CurlTransport(policy: policy, userAgent: "example", certificates: certificates)
            }
        }
        return try await FileVault.open(at: folder, key: .keyFile(keyFile), stores: stores)
    }
}
