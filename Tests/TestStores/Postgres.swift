internal import BskyAuthTestPrograms
package import BskyAuthTestServer
internal import Foundation
internal import Synchronization

/// A real PostgreSQL server on a loopback address of its own and on a Unix socket. It ends with the last reference, or with
/// the tests.
package final class Postgres: Sendable {
    package let folder: ServerFolder
    /// Where it listens. The whole of 127/8 is this machine, so servers of other tests have other addresses.
    package let addresses: [String]
    private let options: [String]
    private let process = Mutex<Program.Running?>(nil)

    private var data: String { folder.path("data") }

    /// A server with the user `postgres`, who needs no password. It is not started.
    ///
    /// - Parameter options: settings, such as `fsync=off`.
    package convenience init(
        options: [String] = [], at addresses: [String] = [LoopbackAddress.random()],
        tls: TestCertificates? = nil
    ) async throws {
        let folder = try ServerFolder("postgres")
        try await folder.run("/bin/cp", ["-a", Self.template.value.path("data"), folder.path])
        try self.init(in: folder, options, addresses, tls)
    }

    private init(
        in folder: ServerFolder, _ options: [String], _ addresses: [String], _ tls: TestCertificates?
    ) throws {
        self.folder = folder
        self.addresses = addresses
        var settings = [
            "listen_addresses=\(addresses.joined(separator: ","))",
            "unix_socket_directories=\(folder.path)", "max_connections=300", "shared_buffers=16MB",
            "log_connections=on",
        ]
        if let tls {
            for (name, file) in [("server.pem", tls.server), ("server.key", tls.key)] {
                try folder.write(name, String(contentsOf: file, encoding: .utf8))
            }
            settings += [
                "ssl=on", "ssl_cert_file=\(folder.path("server.pem"))",
                "ssl_key_file=\(folder.path("server.key"))",
            ]
        }
        self.options = settings + options
    }

    deinit {
        if let process = process.withLock({ $0 }) { ServerFolder.end(process) }
    }

    /// The files of a new server, made once. Its texts have an order that is not that of their bytes.
    private static let template = Task {
        let folder = try ServerFolder("postgres-template")
        try await folder.run(
            program("initdb"),
            [
                "-D", folder.path("data"), "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8",
                "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en",
            ])
        try folder.write(
            "data/pg_hba.conf",
            """
            local all,replication all trust
            host all guarded all scram-sha-256
            host all all all trust

            """)
        return folder
    }

    private static func program(_ name: String) throws -> String {
        let versions = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
        let newest = versions.max { (Int($0) ?? 0) < (Int($1) ?? 0) } ?? "none"
        return "/usr/lib/postgresql/\(newest)/bin/\(name)"
    }

    /// Starts the server, also again, and waits until it accepts connections.
    package func start() async throws {
        let running = try folder.start(
            Self.program("postgres"), ["-D", data] + options.flatMap { ["-c", $0] })
        let earlier = process.withLock { process in
            defer { process = running }
            return process
        }
        if let earlier { ServerFolder.end(earlier) }
        while try await !isReady(at: folder.path) {
            guard running.isRunning else { throw ServerFolder.Failed(description: log) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Whether a server or a pooler at an address or in the folder of a socket accepts connections.
    func isReady(at host: String, port: UInt16 = 5432) async throws -> Bool {
        try await folder.result(Self.program("pg_isready"), ["-q", "-h", host, "-p", "\(port)"]).status == 0
    }

    /// Ends the server in an orderly way.
    package func shutDown() async throws {
        guard let running = process.withLock({ $0 }) else { return }
        running.signal(SIGINT)
        _ = try await running.result()
    }

    /// Keeps what is on the disk.
    package func backUp() async throws {
        try await shutDown()
        try await folder.run("/bin/cp", ["-a", data, folder.path("backup")])
        try await start()
    }

    /// Goes back to what ``backUp()`` has kept.
    package func goBack() async throws {
        try await shutDown()
        try await folder.run("/bin/rm", ["-r", data])
        try await folder.run("/bin/mv", [folder.path("backup"), data])
        try await start()
    }

    /// Makes a standby of this server, which runs. It is not started.
    package func standby() async throws -> Postgres {
        let folder = try ServerFolder("postgres-standby")
        try await folder.run(
            Self.program("pg_basebackup"),
            ["-h", self.folder.path, "-U", "postgres", "-D", folder.path("data"), "--write-recovery-conf"])
        return try Postgres(in: folder, [], [LoopbackAddress.random()], nil)
    }

    /// Waits for each write until its only standby has it, from now on.
    package func waitForStandby() async throws {
        try await sql("ALTER SYSTEM SET synchronous_standby_names = '*'", "SELECT pg_reload_conf()")
        while try await sql("SELECT sync_state FROM pg_stat_replication") != "sync\n" {
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Makes a standby take writes.
    package func promote() async throws { try await sql("SELECT pg_promote()") }

    /// Makes the server a standby at its next start.
    package func becomeStandby() throws { try folder.write("data/standby.signal", "") }

    // MARK: Clients

    /// The URL of the server, at its address or at its socket.
    package func url(
        _ user: String = "postgres", at address: String? = nil, database: String = "postgres",
        options: String = ""
    ) -> String {
        "postgres://\(user)@\(address ?? addresses[0])/\(database)?\(options)"
    }

    package var socketURL: String { "postgres://postgres@/postgres?host=\(folder.path)" }

    /// Runs statements of SQL, each in a transaction of its own.
    @discardableResult
    package func sql(_ statements: String..., database: String = "postgres") async throws -> String {
        try await folder.run(
            Self.program("psql"),
            [
                "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder.path, "-U", "postgres",
                "-d", database,
            ]
                + statements.flatMap { ["-c", $0] })
    }

    /// What the server has printed since its last start.
    package var log: String { process.withLock { $0?.errors ?? "" } }
}

// MARK: - Faults

extension Postgres {
    /// The server's processes, the first of which starts the others.
    private func processes() throws -> [Int32] {
        guard let first = process.withLock({ $0?.processIdentifier }) else { return [] }
        let children = try String(
            contentsOfFile: "/proc/\(first)/task/\(first)/children", encoding: .utf8)
        return [first] + children.split(separator: " ").compactMap { Int32($0) }
    }

    /// Stops all processes of the server, and waits until none of them runs.
    package func stop() async throws {
        guard let first = try processes().first else { return }
        // Then it starts no others.
        try await stop([first])
        try await stop(processes())
    }

    package func goOn() throws { for process in try processes() { kill(process, SIGCONT) } }

    /// Ends all processes of the server at once, and waits for their end.
    package func kill9() async throws {
        try await stop()
        let all = try processes()
        for process in all { kill(process, SIGKILL) }
        _ = try await process.withLock { $0 }?.result()
        try await wait(Array(all.dropFirst())) { $0 == nil || $0 == "Z" }
    }

    private func stop(_ processes: [Int32]) async throws {
        for process in processes { kill(process, SIGSTOP) }
        try await wait(processes) { $0 == nil || $0 == "T" || $0 == "Z" }
    }

    private func wait(_ processes: [Int32], until isIn: (Character?) -> Bool) async throws {
        while !processes.allSatisfy({ isIn(Self.state($0)) }) {
            try await Task.sleep(for: .milliseconds(5))
        }
    }

    /// The state of a process of one thread; nil if it has ended (proc_pid_stat(5)).
    private static func state(_ process: Int32) -> Character? {
        // The file vanishes with the process.
        let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        // The state comes after the name, which is in parentheses.
        return text.lastIndex(of: ")").flatMap { text.suffix(from: $0).dropFirst(2).first }
    }
}
