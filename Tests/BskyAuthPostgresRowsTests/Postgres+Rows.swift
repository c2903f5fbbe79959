#if PostgreSQL
    import ATPCryptography
    import BskyAuthPostgresRows
    import BskyAuthTestStores
    import Foundation

    extension Postgres {
        /// A server that accepts connections and has the table.
        static func withTable(options: [String] = []) async throws -> Postgres {
            let postgres = try await Postgres(options: options)
            try await postgres.start()
            try await postgres.rows().createTable()
            return postgres
        }

        /// A client of the server.
        func rows(
            _ prefix: String = UUID().uuidString, url: String? = nil, password: String? = nil,
            timeLimit: Duration = .seconds(20), now: (@Sendable () -> Date)? = nil
        ) throws -> PostgresRows {
            PostgresRows(
                try PostgresServer(
                    url: url ?? self.url(), password: password.map { SecretBytes(Array($0.utf8)) },
                    timeLimit: timeLimit),
                prefix: prefix, now: now)
        }
    }
#endif
