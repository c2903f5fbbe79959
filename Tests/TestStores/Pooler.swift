internal import BskyAuthTestPrograms
internal import Foundation

/// pgbouncer in transaction mode before a server. It has few connections to it, so each of them serves several clients in
/// turn.
package final class Pooler: Sendable {
    private let folder: ServerFolder
    private let process: Program.Running
    private let address = LoopbackAddress.random()

    package var url: String { "postgres://postgres@\(address):6432/postgres" }

    private init(_ postgres: Postgres) throws {
        folder = try ServerFolder("pgbouncer")
        try folder.write("users", "\"postgres\" \"\"\n")
        try folder.write(
            "pgbouncer.ini",
            """
            [databases]
            postgres = host=\(postgres.folder.path)
            [pgbouncer]
            listen_addr = \(address)
            listen_port = 6432
            unix_socket_dir =
            auth_type = trust
            auth_file = \(folder.path("users"))
            pool_mode = transaction
            default_pool_size = 2
            max_client_conn = 300
            """)
        process = try folder.start("/usr/sbin/pgbouncer", ["-q", folder.path("pgbouncer.ini")])
    }

    deinit { ServerFolder.end(process) }

    /// A pooler that accepts connections.
    package static func ready(_ postgres: Postgres) async throws -> Pooler {
        let pooler = try Pooler(postgres)
        while try await postgres.isReady(at: pooler.address, port: 6432) == false {
            guard pooler.process.isRunning else {
                throw ServerFolder.Failed(description: pooler.process.errors)
            }
            try await Task.sleep(for: .milliseconds(20))
        }
        return pooler
    }
}
