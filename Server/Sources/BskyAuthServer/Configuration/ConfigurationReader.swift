internal import TOMLKit

/// Reads the settings from TOML. Every key is checked, and a key that it does not know is refused.
package struct ConfigurationReader {
    private let table: TOMLTable
    private let prefix: String
    /// Where the keys that were asked for are collected, to find those that are unknown.
    private let known = Known()

    private final class Known {
        var keys: Set<String> = []
    }

    private init(_ table: TOMLTable, prefix: String = "") {
        self.table = table
        self.prefix = prefix
    }

    /// Reads a configuration.
    ///
    /// - Parameter credentials: the folder of systemd's credentials, where the vault's key is looked for first.
    package static func read(_ text: String, credentials: String?) throws(ConfigurationError) -> Configuration
    {
        let table: TOMLTable
        do { table = try TOMLTable(string: text) } catch {
            let place = (error as? TOMLParseError).map {
                "\($0.source.begin.debugDescription): \($0.description)"
            }
            throw ConfigurationError(key: nil, "the file is no TOML: \(place ?? "\(error)")")
        }
        return try Configuration(reading: ConfigurationReader(table), credentials: credentials)
    }

    // MARK: Keys

    /// The reader of a table; nil if the settings have none.
    func section(_ key: String) throws(ConfigurationError) -> ConfigurationReader? {
        known.keys.insert(key)
        guard let value = table[key] else { return nil }
        guard let table = value.table else { throw ConfigurationError(key: prefix + key, "is no table") }
        return ConfigurationReader(table, prefix: "\(prefix)\(key).")
    }

    /// The reader of a table that may be left out, with every key at its default.
    func optionalSection(_ key: String) throws(ConfigurationError) -> ConfigurationReader {
        try section(key) ?? ConfigurationReader(TOMLTable(), prefix: "\(prefix)\(key).")
    }

    /// The readers of a list of tables; none if the settings have no such list.
    func sections(_ key: String) throws(ConfigurationError) -> [ConfigurationReader] {
        known.keys.insert(key)
        let wrong = ConfigurationError(
            key: prefix + key, "is no list: write each item under [[\(prefix)\(key)]]")
        guard let value = table[key] else { return [] }
        guard let entries = value.array else { throw wrong }
        var readers: [ConfigurationReader] = []
        for (index, entry) in entries.enumerated() {
            guard let table = entry.table else { throw wrong }
            readers.append(ConfigurationReader(table, prefix: "\(prefix)\(key)[\(index)]."))
        }
        return readers
    }

    /// An error about a key of this table.
    func wrong(_ key: String, _ problem: String) -> ConfigurationError {
        ConfigurationError(key: prefix + key, problem)
    }

    typealias Parse<Value> = (String) -> Result<Value, Wrong>

    struct Wrong: Error {
        let words: String

        init(_ words: String) { self.words = words }
    }

    func value<Value>(
        _ key: String, default absent: String? = nil, _ parse: Parse<Value>
    ) throws(ConfigurationError) -> Value {
        guard let value = try optional(key, default: absent, parse) else {
            throw ConfigurationError(key: prefix + key, "is missing")
        }
        return value
    }

    func optional<Value>(
        _ key: String, default absent: String? = nil, _ parse: Parse<Value>
    ) throws(ConfigurationError) -> Value? {
        known.keys.insert(key)
        let text: String
        switch table[key] {
        case nil:
            guard let absent else { return nil }
            text = absent
        case let value?:
            guard let string = value.string else {
                throw ConfigurationError(key: prefix + key, "is no text. Write it in quotation marks")
            }
            text = string
        }
        return try parsed(text, key, parse)
    }

    func values<Value>(
        _ key: String, default absent: [String]? = nil, _ parse: Parse<Value>
    ) throws(ConfigurationError) -> [Value] {
        known.keys.insert(key)
        guard let texts = try texts(key) ?? absent else {
            throw ConfigurationError(key: prefix + key, "is missing")
        }
        var values: [Value] = []
        for text in texts { values.append(try parsed(text, key, parse)) }
        return values
    }

    private func texts(_ key: String) throws(ConfigurationError) -> [String]? {
        guard let value = table[key] else { return nil }
        guard let array = value.array else { throw ConfigurationError(key: prefix + key, "is no list") }
        var texts: [String] = []
        for item in array {
            guard let text = item.string else {
                throw ConfigurationError(key: prefix + key, "has an item that is no text")
            }
            texts.append(text)
        }
        return texts
    }

    private func parsed<Value>(
        _ text: String, _ key: String, _ parse: Parse<Value>
    ) throws(ConfigurationError) -> Value {
        switch parse(text) {
        case .success(let value): return value
        case .failure(let wrong):
            throw ConfigurationError(key: prefix + key, "is \"\(text)\": \(wrong.words)")
        }
    }

    func flag(_ key: String, default absent: Bool) throws(ConfigurationError) -> Bool {
        known.keys.insert(key)
        guard let value = table[key] else { return absent }
        guard let flag = value.bool else {
            throw ConfigurationError(key: prefix + key, "is neither true nor false")
        }
        return flag
    }

    func number(_ key: String, default absent: Int) throws(ConfigurationError) -> Int {
        known.keys.insert(key)
        guard let value = table[key] else { return absent }
        guard let number = value.int, (1...1_000_000).contains(number) else {
            throw ConfigurationError(key: prefix + key, "is no number from 1 to 1000000")
        }
        return number
    }

    func refuseOthers() throws(ConfigurationError) {
        if let unknown = table.keys.filter({ !known.keys.contains($0) }).min() {
            throw ConfigurationError(key: prefix + unknown, "is no setting of this version")
        }
    }
}

/// What is wrong with the configuration.
package struct ConfigurationError: Error, CustomStringConvertible {
    let key: String?
    let problem: String

    init(key: String?, _ problem: String) {
        self.key = key
        self.problem = problem
    }

    package var description: String { key.map { "\($0) \(problem)" } ?? problem }
}
