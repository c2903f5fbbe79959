#if PostgreSQL
    import ATPCryptography
    import BskyAuthPostgresRows
    import BskyAuthRows
    import BskyAuthTestPrograms
    import BskyAuthTestServer
    import Foundation
    import Synchronization

    /// A real PostgreSQL server on a loopback address of its own and on a Unix socket. It ends with the last reference, or with
    /// the tests.
    final class Postgres: Sendable {
        let folder: ServerFolder
        /// Where it listens. The whole of 127/8 is this machine, so servers of other tests have other addresses.
        let addresses: [String]
        private let options: [String]
        private let process = Mutex<Program.Running?>(nil)

        private var data: String { folder.path("data") }

        /// A server with the user `postgres`, who needs no password. It is not started.
        ///
        /// - Parameter options: settings, such as `fsync=off`.
        init(
            options: [String] = [], at addresses: [String] = [LoopbackAddress.random()],
            tls: TestCertificates? = nil
        ) async throws {
            self.addresses = addresses
            folder = try ServerFolder("postgres")
            try await folder.run("/bin/cp", ["-a", Self.template.value.path("data"), folder.path])
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
            if let process = process.withLock({ $0 }) { ServerFolder.end(process.processIdentifier) }
        }

        /// A server that accepts connections and has the table.
        static func withTable(options: [String] = []) async throws -> Postgres {
            let postgres = try await Postgres(options: options)
            try await postgres.start()
            try await postgres.rows().createTable()
            return postgres
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
                "local all all trust\nhost all guarded all scram-sha-256\nhost all all all trust\n")
            return folder
        }

        private static func program(_ name: String) throws -> String {
            let versions = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")
            let newest = versions.max { (Int($0) ?? 0) < (Int($1) ?? 0) } ?? "none"
            return "/usr/lib/postgresql/\(newest)/bin/\(name)"
        }

        /// Starts the server, also again, and waits until it accepts connections.
        func start() async throws {
            let running = try folder.start(
                Self.program("postgres"), ["-D", data] + options.flatMap { ["-c", $0] })
            process.withLock { $0 = running }
            let ready = ["-q", "-h", folder.path]
            while try await folder.result(Self.program("pg_isready"), ready).status != 0 {
                guard kill(running.processIdentifier, 0) == 0 else { throw Failed(description: log) }
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        /// Ends the server in an orderly way.
        func shutDown() async throws {
            guard let running = process.withLock({ $0 }) else { return }
            running.signal(SIGINT)
            _ = try await running.result()
        }

        /// Makes the server a standby at its next start.
        func becomeStandby() throws { try folder.write("data/standby.signal", "") }

        // MARK: Clients

        /// The URL of the server, at its address or at its socket.
        func url(
            _ user: String = "postgres", at address: String? = nil, database: String = "postgres",
            options: String = ""
        ) -> String {
            "postgres://\(user)@\(address ?? addresses[0])/\(database)?\(options)"
        }

        var socketURL: String { "postgres://postgres@/postgres?host=\(folder.path)" }

        /// A client of the server.
        func rows(
            _ prefix: String = UUID().uuidString, url: String? = nil, password: String? = nil,
            patience: Duration = .seconds(20), now: (@Sendable () -> Date)? = nil
        ) throws -> PostgresRows {
            PostgresRows(
                try PostgresServer(
                    url: url ?? self.url(), password: password.map { SecretBytes(Array($0.utf8)) },
                    patience: patience),
                prefix: prefix, now: now)
        }

        /// Runs statements of SQL, each in a transaction of its own.
        @discardableResult
        func sql(_ statements: String..., database: String = "postgres") async throws -> String {
            try await folder.run(
                Self.program("psql"),
                [
                    "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-h", folder.path, "-U", "postgres",
                    "-d", database,
                ]
                    + statements.flatMap { ["-c", $0] })
        }

        /// What the server has printed since its last start.
        var log: String { process.withLock { $0?.errors ?? "" } }

        struct Failed: Error, CustomStringConvertible {
            let description: String
        }
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
        func stop() async throws {
            guard let first = try processes().first else { return }
            // Then it starts no others.
            try await stop([first])
            try await stop(processes())
        }

        func goOn() throws { for process in try processes() { kill(process, SIGCONT) } }

        /// Ends all processes of the server at once, and waits for their end.
        func kill9() async throws {
            try await stop()
            let all = try processes()
            for process in all { kill(process, SIGKILL) }
            _ = try await process.withLock { $0 }?.result()
            try await wait(all) { $0 == nil || $0 == "Z" }
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
#endif
