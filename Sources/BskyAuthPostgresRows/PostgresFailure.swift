#if PostgreSQL
    internal import ATPNetworking
    internal import BskyAuthRows

    extension RowStoreError {
        /// The failure of a transaction, as the server tells it.
        ///
        /// An error that ends a statement before the COMMIT also ends the transaction, so nothing was done. In all other
        /// cases the outcome is unknown:
        ///
        /// - Class 08 may come from pgbouncer, which has lost the server.
        /// - An error that ends the connection may come from either of them.
        /// - A COMMIT may fail after it was done. Only classes 23 and 40 say that PostgreSQL refused it.
        ///
        /// - Parameters:
        ///   - state: the SQLSTATE (PostgreSQL, "Appendix A. PostgreSQL Error Codes").
        ///   - severity: ERROR, FATAL or PANIC.
        ///   - text: the server's words.
        ///   - isCommit: whether it is the answer to the COMMIT.
        static func postgres(
            _ host: PostgresServer.Host, state: String, severity: String, text: String, isCommit: Bool
        ) -> RowStoreError {
            let isRefusal =
                severity == "ERROR"
                && (isCommit ? ["23", "40"].contains { state.hasPrefix($0) } : !state.hasPrefix("08"))
                // statement_completion_unknown
                && state != "40003"
            return RowStoreError(
                words(host, text), outcome: isRefusal ? .notDone : .unknown, code: .postgres(state: state))
        }

        /// The failure to connect and to log in. Nothing was sent that could be done.
        static func connection(_ host: PostgresServer.Host, _ message: String) -> RowStoreError {
            // Otherwise libpq itself failed, and TLS is the only part of it that has a code.
            let isTLS = ["SSL", "certificate"].contains { message.contains($0) }
            let code = Code.sqlState(in: message).map(Code.postgres) ?? (isTLS ? .untrusted : .unreachable)
            return RowStoreError(words(host, message), outcome: .notDone, code: code)
        }

        static func postgres(
            _ host: PostgresServer.Host, _ text: String, _ outcome: Outcome, _ code: Code
        ) -> RowStoreError {
            RowStoreError(words(host, text), outcome: outcome, code: code)
        }

        /// The same failure of a transaction that only reads, so that nothing was done.
        var ofReading: RowStoreError { RowStoreError(description, outcome: .notDone, code: code) }

        private static func words(_ host: PostgresServer.Host, _ text: String) -> String {
            // The verbose form names the server's line of source.
            let lines = text.split(separator: "\n").filter { !$0.hasPrefix("LOCATION:") }
            return "PostgreSQL at \(host): " + UntrustedText.harmless(lines.joined(separator: " "))
        }
    }

    extension RowStoreError.Code {
        static func postgres(state: String) -> RowStoreError.Code {
            switch state {
            case "25006": .readOnly
            case "42501": .permissionDenied
            // undefined_table.
            case "42P01": .notPrepared
            // query_canceled by statement_timeout, and lock_not_available.
            case "57014", "55P03": .timedOut
            // invalid_schema_name.
            case "3F000", PostgresSchema.madeElsewhere: .unclearPlace
            // Shutdown, crash, start, and too many connections.
            case "57P01", "57P02", "57P03", "57P05", "53300": .unreachable
            case "53100": .noSpace
            case _ where state.hasPrefix("28"): .credentialsRefused
            case _ where state.hasPrefix("08"): .unreachable
            default: .failed
            }
        }

        /// The SQLSTATE in a message of libpq of verbose form: `FATAL:  28P01: password authentication failed`. libpq
        /// gives it in no other way for a connection that failed.
        fileprivate static func sqlState(in message: String) -> String? {
            message.split(separator: ":").first { part in
                let state = part.dropFirst(2)
                return part.hasPrefix("  ") && state.utf8.count == 5
                    && state.allSatisfy { ("0"..."9").contains($0) || ("A"..."Z").contains($0) }
            }.map { String($0.dropFirst(2)) }
        }
    }
#endif
