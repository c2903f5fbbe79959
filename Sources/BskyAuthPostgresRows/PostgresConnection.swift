#if PostgreSQL
    internal import ATPCryptography
    internal import BskyAuthRows
    internal import CATPPostgreSQL

    /// A connection to a server. Its methods block the thread, but never longer than until the time that they are given.
    ///
    /// libpq's own blocking functions are not used, because they wait for a stopped server without end.
    @safe struct PostgresConnection: ~Copyable {
        /// A connection that was idle for longer is not used again, because a firewall may have dropped it without a message.
        private static let idleTime = Duration.seconds(60)

        let pointer: OpaquePointer
        let host: PostgresServer.Host
        /// Where the table is.
        private(set) var schema = PostgresSchema.usual
        /// libpq's callback for notices counts here.
        let warnings: UnsafeMutablePointer<Int32>
        private var lastUse = ContinuousClock.now

        private init(_ pointer: OpaquePointer, _ host: PostgresServer.Host) {
            unsafe self.pointer = pointer
            self.host = host
            unsafe warnings = .allocate(capacity: 1)
            unsafe warnings.initialize(to: 0)
        }

        deinit {
            unsafe PQfinish(pointer)
            unsafe warnings.deallocate()
        }

        /// Connects and logs in.
        static func open(
            _ server: PostgresServer, _ host: PostgresServer.Host, until deadline: ContinuousClock.Instant
        ) throws(RowStoreError) -> PostgresConnection {
            if let variable = unsafe bskyauth_pq_refused_variable().map({ unsafe String(cString: $0) }) {
                throw .postgres(
                    host,
                    "\(variable) is set in the environment and could lead to other rows: unset \(variable)",
                    .notDone, .unclearPlace)
            }
            guard let pointer = unsafe start(server, host) else {
                throw .postgres(host, "no memory is left", .notDone, .failed)
            }
            var connection = unsafe PostgresConnection(pointer, host)
            // libpq takes another address from the environment. The password would go there without TLS.
            guard server.needsTLS || connection.address == host.loopbackAddress else {
                throw .postgres(
                    host, "PGHOSTADDR names another address", .notDone, .failed)
            }
            try connection.logIn(until: deadline)
            if let schema = server.schema {
                connection.schema = schema
            } else {
                let rows = try connection.transact([PostgresSchema.search], for: .reading, until: deadline)
                connection.schema = try .one(of: rows, at: host)
            }
            return connection
        }

        private static func start(_ server: PostgresServer, _ host: PostgresServer.Host) -> OpaquePointer? {
            // Without a password, libpq looks for one.
            var password = (server.password?.bytes ?? []) + [0]
            defer { SecretBytes.clear(&password) }
            return unsafe password.withUnsafeBufferPointer { bytes in
                unsafe bytes.withMemoryRebound(to: CChar.self) { password in
                    unsafe bskyauth_pq_connect(
                        host.name, host.loopbackAddress, String(host.port), server.database, server.user,
                        password.baseAddress, server.needsTLS ? "verify-full" : "disable", server.authorities,
                        String(Deadline.milliseconds(server.timeLimit)))
                }
            }
        }

        private func logIn(until deadline: ContinuousClock.Instant) throws(RowStoreError) {
            // With it, the message of a failure has the SQLSTATE.
            unsafe PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
            unsafe bskyauth_pq_count_warnings(pointer, warnings)
            var state =
                unsafe PQstatus(pointer) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
            while state != PGRES_POLLING_OK {
                guard state != PGRES_POLLING_FAILED else { throw failureToConnect }
                let isWriting = state == PGRES_POLLING_WRITING
                guard wait(reads: !isWriting, writes: isWriting, until: deadline) else {
                    throw .postgres(host, "no answer to a connection in time", .notDone, .timedOut)
                }
                state = unsafe PQconnectPoll(pointer)
            }
            guard unsafe PQsetnonblocking(pointer, 1) == 0, unsafe PQenterPipelineMode(pointer) == 1 else {
                throw failureToConnect
            }
        }

        private var failureToConnect: RowStoreError {
            if unsafe PQconnectionNeedsPassword(pointer) == 1 {
                return .postgres(host, "it wants a password", .notDone, .credentialsNeeded)
            }
            return .connection(host, message)
        }

        /// The address that the connection goes to; empty for a Unix socket.
        private var address: String { unsafe PQhostaddr(pointer).map { unsafe String(cString: $0) } ?? "" }

        /// libpq's words for the last failure.
        var message: String { unsafe PQerrorMessage(pointer).map { unsafe String(cString: $0) } ?? "" }

        /// Whether the connection may be used again. An idle server sends nothing until it ends the connection.
        var isUsable: Bool {
            guard ContinuousClock.now - lastUse < Self.idleTime else { return false }
            let isOpen = unsafe PQstatus(pointer) == CONNECTION_OK
            return unsafe isOpen && bskyauth_pq_wait(pointer, 1, 0, 0) == 0
        }

        mutating func noteUse() { lastUse = .now }

        /// Waits for the socket; false if the time has passed. A socket that failed counts as ready: libpq finds out.
        func wait(reads: Bool, writes: Bool, until deadline: ContinuousClock.Instant) -> Bool {
            while true {
                let rest = Deadline.milliseconds(deadline - .now)
                guard rest > 0 else { return false }
                let result = unsafe bskyauth_pq_wait(pointer, reads ? 1 : 0, writes ? 1 : 0, rest)
                if result != -2 { return result != 0 }
            }
        }
    }

    enum Deadline {
        /// A time in milliseconds, rounded up, at least 0.
        static func milliseconds(_ duration: Duration) -> Int32 {
            let (seconds, attoseconds) = duration.components
            guard seconds >= 0, attoseconds >= 0 else { return 0 }
            return Int32(
                clamping: min(seconds, 1_000_000) * 1000 + (attoseconds + 999_999_999_999_999)
                    / 1_000_000_000_000_000)
        }
    }
#endif
