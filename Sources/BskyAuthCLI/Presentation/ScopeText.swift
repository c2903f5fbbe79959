internal import ATProtoXRPC

/// Scopes in messages. A server or a set can make them as long as it likes.
enum ScopeText {
    /// A text of a scope, without its end if that is very long.
    static func short(_ text: String) -> String {
        let most = 120
        return (text.count > most ? "\(text.prefix(most))…" : text).escapedForTerminal
    }

    /// What a server did not grant of what was asked for.
    static func missing(_ scopes: [MissingScope]) -> [String] {
        let whole = scopes.filter(\.parts.isEmpty).map(\.value)
        let lines = scopes.filter { !$0.parts.isEmpty }.map { scope in
            "the server granted less than \(short(scope.value)): it lacks \(list(scope.parts.map(\.description)))"
        }
        return (whole.isEmpty ? [] : ["the server did not grant: \(list(whole))"]) + lines
    }

    /// The same, each in quotes.
    static func quoted(_ values: [String]) -> String { list(values) { "\"\(short($0))\"" } }

    /// The first values of a list, and how many more there are.
    static func list(_ values: [String], _ form: (String) -> String = ScopeText.short) -> String {
        let most = 5
        let shown = values.prefix(most).map(form).joined(separator: ", ")
        return values.count > most ? "\(shown) and \(values.count - most) more" : shown
    }
}
