#if PostgreSQL
    internal import FoundationEssentials

    /// A statement of SQL with its parameters, which the text names `$1`, `$2` and so on, at most eight.
    struct PostgresStatement: Sendable {
        enum Parameter: Sendable {
            /// A text without a zero byte. Numbers are texts too; the statement casts them.
            case text(String)
            case bytes([UInt8])
            case null

            static func number(_ number: Int64) -> Parameter { .text(String(number)) }
        }

        /// The text, which names a table with its schema.
        let text: @Sendable (PostgresSchema) -> String
        let parameters: [Parameter]

        /// A statement about the rows.
        init(_ parameters: [Parameter] = [], _ text: @escaping @Sendable (PostgresSchema) -> String) {
            self.text = text
            self.parameters = parameters
        }

        /// A statement that names no table of this program.
        init(_ text: String, _ parameters: [Parameter] = []) {
            self.init(parameters) { _ in text }
        }
    }

    /// The parameters of a statement in one block of bytes, as `bskyauth_pq_send` takes them.
    struct PostgresParameters {
        private(set) var bytes: [UInt8] = []
        private(set) var starts: [Int32] = []
        private(set) var lengths: [Int32] = []
        private(set) var formats: [Int32] = []

        init(_ parameters: [PostgresStatement.Parameter]) {
            for parameter in parameters {
                switch parameter {
                case .text(let text): append(Array(text.utf8), format: 0)
                case .bytes(let bytes): append(bytes, format: 1)
                case .null:
                    starts.append(-1)
                    lengths.append(0)
                    formats.append(0)
                }
            }
        }

        private mutating func append(_ content: [UInt8], format: Int32) {
            starts.append(Int32(bytes.count))
            lengths.append(Int32(content.count))
            formats.append(format)
            bytes += content + [0]
        }
    }

    /// The columns of a row of a result in binary form; nil for NULL.
    struct PostgresRow: Sendable {
        let columns: [[UInt8]?]

        /// A column of type bytea or text.
        func bytes(_ column: Int) -> [UInt8]? { columns.indices.contains(column) ? columns[column] : nil }

        func text(_ column: Int) -> String? { bytes(column).map { String(decoding: $0, as: UTF8.self) } }

        /// A column of type bigint.
        func number(_ column: Int) -> Int64? {
            guard let bytes = bytes(column), bytes.count == 8 else { return nil }
            return Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }

        /// A column of type boolean.
        func flag(_ column: Int) -> Bool? { bytes(column).map { $0 == [1] } }
    }
#endif
