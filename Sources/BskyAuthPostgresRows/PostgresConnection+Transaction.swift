#if PostgreSQL
    internal import BskyAuthRows
    internal import CATPPostgreSQL

    extension PostgresConnection {
        /// What a transaction is for.
        enum Purpose: Sendable {
            case reading, writing
        }

        /// Performs statements in one transaction, and returns the rows of the last one. After an error the connection must not be
        /// used again.
        ///
        /// All statements go out together, in libpq's pipeline mode, so a transaction takes one round trip. Every setting ends
        /// with the transaction, because pgbouncer may give the next one another session:
        ///
        /// - `synchronous_commit` is `on`, whatever the default of the server, the database or the user is: with `off`, a
        ///   server that crashes loses writes that it has confirmed. `on` waits for the disk of the server and of its
        ///   synchronous standbys. `remote_apply` would also wait until standbys show the write, but they are never read.
        /// - `statement_timeout` ends a statement on the server before this program gives up. A request to cancel would
        ///   not do that better: libpq's `PQcancel` blocks without end at a stopped server. While a COMMIT waits for
        ///   a standby, a cancellation makes the server confirm it all the same.
        /// - `idle_in_transaction_session_timeout` frees the locks of a client that stops in the middle.
        mutating func transact(
            _ statements: [PostgresStatement], for purpose: Purpose, until deadline: ContinuousClock.Instant
        ) throws(RowStoreError) -> [PostgresRow] {
            var exchange = Exchange(count: statements.count)
            do throws(RowStoreError) {
                try perform(statements, &exchange, until: deadline)
            } catch {
                throw purpose == .reading ? error.ofReading : error
            }
            // For example, a server that was told to wait no longer for its standbys warns of it and confirms the write.
            let isWarned = unsafe warnings.pointee > 0
            guard purpose == .reading || !isWarned else {
                throw .postgres(host, "the server wrote with a warning", .unknown, .failed)
            }
            noteUse()
            return exchange.rows
        }

        /// How far a transaction has come.
        private struct Exchange {
            let count: Int
            /// Whether the system has taken all bytes.
            var isSent = false
            /// How many statements were answered, with BEGIN, the settings and COMMIT.
            var answered = 0
            /// Whether the last call gave no result, as between two statements.
            var isBetween = false
            /// The rows of the last statement before the COMMIT.
            var rows: [PostgresRow] = []

            var isAtSettings: Bool { answered == 1 }
            var isAtRows: Bool { answered == count + 1 }
            var isAtCommit: Bool { answered == count + 2 }
        }

        private func perform(
            _ statements: [PostgresStatement], _ exchange: inout Exchange,
            until deadline: ContinuousClock.Instant
        ) throws(RowStoreError) {
            unsafe warnings.pointee = 0
            try queue(statements, until: deadline)
            while true {
                try receive(&exchange, until: deadline)
                guard let result = unsafe PQgetResult(pointer) else {
                    if exchange.isBetween { throw lost }
                    exchange.isBetween = true
                    continue
                }
                defer { unsafe PQclear(result) }
                exchange.isBetween = false
                if unsafe PQresultStatus(result) == PGRES_PIPELINE_SYNC { break }
                try unsafe take(result, &exchange)
            }
            guard exchange.answered == exchange.count + 3 else {
                throw .postgres(host, "not every statement was answered", .unknown, .unreadable)
            }
        }

        // MARK: Sending

        private func queue(
            _ statements: [PostgresStatement], until deadline: ContinuousClock.Instant
        ) throws(RowStoreError) {
            // The server gives up a little sooner than this program, so that it can say that nothing was done.
            let time = PostgresStatement.Parameter.number(
                Int64(max(1, Deadline.milliseconds((deadline - .now) * 4 / 5))))
            let settings = PostgresStatement(
                """
                SELECT pg_is_in_recovery(), set_config('synchronous_commit', 'on', true),
                    set_config('statement_timeout', $1::text, true),
                    set_config('idle_in_transaction_session_timeout', $1::text, true)
                """, [time])
            // A write must see the newest row of a key after it has waited for its lock.
            let all =
                [PostgresStatement("BEGIN ISOLATION LEVEL READ COMMITTED"), settings] + statements
                + [PostgresStatement("COMMIT")]
            for statement in all where !send(statement) { throw lost }
            guard unsafe PQpipelineSync(pointer) == 1 else { throw lost }
        }

        private func send(_ statement: PostgresStatement) -> Bool {
            let parameters = PostgresParameters(statement.parameters)
            return unsafe bskyauth_pq_send(
                pointer, statement.text(schema), Int32(parameters.starts.count), parameters.bytes,
                parameters.starts,
                parameters.lengths, parameters.formats) == 1
        }

        /// Sends and receives until there is a result.
        private func receive(
            _ exchange: inout Exchange, until deadline: ContinuousClock.Instant
        ) throws(RowStoreError) {
            while true {
                // libpq keeps a failure to send back until it has read what the server has said before.
                if !exchange.isSent { exchange.isSent = unsafe PQflush(pointer) == 0 }
                guard unsafe PQisBusy(pointer) == 1 else { return }
                guard wait(reads: true, writes: !exchange.isSent, until: deadline) else {
                    throw .postgres(host, "no answer in time", .unknown, .timedOut)
                }
                guard unsafe PQconsumeInput(pointer) == 1 else { throw lost }
            }
        }

        /// The server may have got the COMMIT, also if the system has not taken all bytes: the last ones are of another message.
        private var lost: RowStoreError {
            .postgres(host, message.isEmpty ? "the connection was lost" : message, .unknown, .unreachable)
        }

        // MARK: Results

        private func take(_ result: OpaquePointer, _ exchange: inout Exchange) throws(RowStoreError) {
            let status = unsafe PQresultStatus(result)
            guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
                throw unsafe failure(result, exchange)
            }
            if exchange.isAtSettings {
                guard unsafe Self.rows(result).first?.flag(0) == false else {
                    throw .postgres(host, "it is a standby", .notDone, .readOnly)
                }
            } else if exchange.isAtRows {
                exchange.rows = unsafe Self.rows(result)
            } else if exchange.isAtCommit {
                // A transaction that had failed would answer ROLLBACK.
                guard unsafe String(cString: PQcmdStatus(result)) == "COMMIT" else {
                    throw .postgres(host, "the transaction was not committed", .unknown, .unreadable)
                }
            }
            exchange.answered += 1
        }

        private func failure(_ result: OpaquePointer, _ exchange: Exchange) -> RowStoreError {
            // PG_DIAG_SQLSTATE, PG_DIAG_SEVERITY_NONLOCALIZED and PG_DIAG_MESSAGE_PRIMARY.
            let field = { (code: Unicode.Scalar) -> String? in
                unsafe PQresultErrorField(result, Int32(code.value)).map { unsafe String(cString: $0) }
            }
            // libpq's own failures have no SQLSTATE.
            guard let state = field("C"), let severity = field("V") else {
                let text = unsafe PQresultErrorMessage(result).map { unsafe String(cString: $0) } ?? ""
                return .postgres(host, text, .unknown, .unreachable)
            }
            return .postgres(
                host, state: state, severity: severity, text: field("M") ?? state,
                isCommit: exchange.isAtCommit)
        }

        private static func rows(_ result: OpaquePointer) -> [PostgresRow] {
            unsafe (0..<PQntuples(result)).map { row in
                unsafe PostgresRow(
                    columns: (0..<PQnfields(result)).map { column in
                        guard unsafe PQgetisnull(result, row, column) == 0,
                            let value = unsafe PQgetvalue(result, row, column)
                        else { return nil }
                        let bytes = unsafe UnsafeRawBufferPointer(
                            start: value, count: Int(PQgetlength(result, row, column)))
                        return unsafe Array(bytes)
                    })
            }
        }
    }
#endif
