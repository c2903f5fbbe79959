#if PostgreSQL
    internal import BskyAuthRows

    /// The schema that the table of the rows is in. Every statement names it, so that no `search_path` of the user, the database
    /// or the environment chooses another table.
    struct PostgresSchema: Sendable, Hashable {
        let name: String

        /// The schema of a table that is made without a `?schema=` in the URL.
        static let usual = PostgresSchema(name: "public")

        /// The table with its schema.
        var table: String { identifier + ".bskyauth_rows" }
        /// The sequence of revisions with its schema.
        var sequence: String { identifier + ".bskyauth_rows_revision" }
        /// A new revision, as an expression.
        var nextRevision: String { "nextval(\(Self.literal(sequence))::regclass)" }

        private var identifier: String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

        /// A text as a constant, whatever `standard_conforming_strings` and `backslash_quote` are.
        static func literal(_ text: String) -> String {
            "E'" + text.replacing("\\", with: "\\\\").replacing("'", with: "''") + "'"
        }

        /// The schemas of all tables with the name, and whether the user may use them. Temporary ones end with their session.
        static let search = PostgresStatement(
            """
            SELECT nspname::text, has_schema_privilege(pg_namespace.oid, 'USAGE')
            FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
            WHERE \(isTable) ORDER BY 1
            """)

        /// The one schema that has the table; ``usual`` if none has.
        ///
        /// - Parameter rows: the answer to ``search``.
        /// - Throws: `RowStoreError` with the code `unclearPlace` if several have one.
        static func one(
            of rows: [PostgresRow], at host: PostgresServer.Host
        ) throws(RowStoreError) -> PostgresSchema {
            let names = rows.compactMap { $0.text(0) }
            guard names.count > 1 else { return names.first.map(PostgresSchema.init) ?? .usual }
            // Tables of others, in schemas that are closed to this user.
            let open = rows.filter { $0.flag(1) == true }.compactMap { $0.text(0) }
            if open.count == 1 { return PostgresSchema(name: open[0]) }
            throw .postgres(
                host,
                "the table bskyauth_rows is in several schemas (\(names.joined(separator: ", "))); remove those that are "
                    + "not used, or name one: ?schema=NAME at the end of the URL", .notDone, .unclearPlace)
        }

        /// A statement that fails if another schema has the table. Two tables would be two places for the same rows.
        var aloneCheck: String {
            let block = """
                DECLARE other text;
                BEGIN
                    SELECT nspname INTO other
                    FROM pg_catalog.pg_class JOIN pg_catalog.pg_namespace ON pg_namespace.oid = relnamespace
                    WHERE \(Self.isTable) AND nspname <> \(Self.literal(name)) LIMIT 1;
                    IF FOUND THEN
                        RAISE EXCEPTION 'the table bskyauth_rows is in the schema % already; take ?prefix=NAME to keep rows apart',
                            other USING ERRCODE = '\(Self.madeElsewhere)';
                    END IF;
                END
                """
            return "DO \(Self.literal(block))"
        }

        private static let isTable =
            "relname = 'bskyauth_rows' AND relkind IN ('r', 'p') AND relpersistence <> 't'"

        /// The SQLSTATE of ``aloneCheck``, in a class that PostgreSQL and the standard leave to programs.
        static let madeElsewhere = "BSK01"
    }
#endif
