internal import ATProtoSessions
internal import BskyAuthCore
internal import Logging

/// Log messages for `--verbose`. They hold no secrets.
struct ConsoleLog: LogHandler {
    let console: Console
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level

    init(console: Console) {
        self.console = console
        logLevel = console.isVerbose ? .debug : .notice
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let details = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            .map { $0.value.logged.map { ": \($0)" } ?? " \($0.key)=\($0.value)" }
        let text = "\(event.message)\(details.joined())".escapedForTerminal
        if event.level >= .notice { console.say(text) } else { console.detail(text) }
    }
}

extension Console {
    /// Writes log messages to this console.
    var log: Logger {
        Logger(label: "bskyauth") { _ in ConsoleLog(console: self) }
    }
}

extension Logger.MetadataValue {
    /// The sentence for an error; nil for other values.
    fileprivate var logged: String? {
        guard case .stringConvertible(let value) = self, let value = value as? LoggedError else { return nil }
        return ErrorPresenter.failure(for: value.error).message
    }
}
