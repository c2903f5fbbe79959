import BskyAuthTestStores
import Foundation

/// The store of a fleet. `BSKYAUTH_TEST_STORE` says which one: `etcd`, which is usual, `postgres`, or `pgbouncer` in front of
/// PostgreSQL.
enum FleetStore: Sendable {
    case etcd(Etcd)
    case postgres(Postgres)
    case pgbouncer(Pooler, Postgres)

    private static let kind = ProcessInfo.processInfo.environment["BSKYAUTH_TEST_STORE"] ?? "etcd"
    static let isEtcd = kind == "etcd"
    static let isPostgres = kind == "postgres"

    /// A store that accepts connections, and is empty.
    static func ready() async throws -> FleetStore {
        if isEtcd { return .etcd(try await Etcd.ready()) }
        let postgres = try await Postgres()
        try await postgres.start()
        return isPostgres ? .postgres(postgres) : .pgbouncer(try await Pooler.ready(postgres), postgres)
    }

    /// The URL of a vault in the store.
    func url(_ prefix: String) -> String {
        switch self {
        case .etcd(let etcd): etcd.url(prefix)
        case .postgres(let postgres): postgres.url(options: "prefix=\(prefix)")
        case .pgbouncer(let pooler, _): "\(pooler.url)?prefix=\(prefix)"
        }
    }

    /// Ends the server at once, and waits for its end.
    func kill9() async throws {
        switch self {
        case .etcd(let etcd): try await etcd.kill9()
        case .postgres(let postgres), .pgbouncer(_, let postgres): try await postgres.kill9()
        }
    }

    /// Keeps what is on the disk of the server.
    func backUp() async throws {
        switch self {
        case .etcd(let etcd): try await etcd.backUp()
        case .postgres(let postgres), .pgbouncer(_, let postgres): try await postgres.backUp()
        }
    }

    /// Goes back to what ``backUp()`` has kept.
    func goBack() async throws {
        switch self {
        case .etcd(let etcd): try await etcd.goBack()
        case .postgres(let postgres), .pgbouncer(_, let postgres): try await postgres.goBack()
        }
    }

    /// Starts the server again, with what is on its disk.
    func restart() async throws {
        switch self {
        case .etcd(let etcd): try await etcd.restart()
        case .postgres(let postgres), .pgbouncer(_, let postgres): try await postgres.start()
        }
    }
}
