internal import ATPJSON
internal import ATProtoSessions
internal import ATProtoVault
internal import ArgumentParser
internal import BskyAuthCore
internal import FoundationEssentials

// The messages between a command and its keeper, each one message of their socket. The keeper greets first. Then the
// command sends the vault key, which is not JSON, and the settings. After that come requests, and answers to them.

/// The settings of a command that the keeper needs. Both have the same environment variables.
struct KeeperSettings: Equatable {
    let home: String
    let options: GlobalOptions

    init(home: String, options: GlobalOptions) {
        self.home = home
        self.options = options
    }

    init?(_ json: JSONValue) {
        guard let home = json["home"]?.string, let isQuiet = json["quiet"]?.bool,
            let isVerbose = json["verbose"]?.bool, let isPrivate = json["allow_private_network"]?.bool,
            var options = PlainLine([])?.global ?? (try? GlobalOptions.parse([]))
        else { return nil }
        (options.quiet, options.verbose, options.allowPrivateNetwork) = (isQuiet, isVerbose, isPrivate)
        options.resolver = json["resolver"]?.string
        options.httpTimeout = json["http_timeout"]?.integer.map { TimeLength(.seconds($0)) }
        self.init(home: home, options: options)
    }

    var json: JSONValue {
        [
            "home": .string(home), "quiet": .bool(options.quiet), "verbose": .bool(options.verbose),
            "allow_private_network": .bool(options.allowPrivateNetwork),
            "resolver": JSONValue(options.resolver),
            "http_timeout": options.httpTimeout.map { JSONValue($0.duration.components.seconds) } ?? .null,
        ]
    }

    static func == (left: KeeperSettings, right: KeeperSettings) -> Bool { left.json == right.json }
}

/// A request with its number, which the answer repeats.
struct KeeperRequest: Equatable {
    let number: Int64
    let rotation: RotationRequest

    init(number: Int64, rotation: RotationRequest) {
        self.number = number
        self.rotation = rotation
    }

    init?(_ json: JSONValue) {
        guard let number = json["number"]?.integer,
            let rotation = json["rotation"]?.string.flatMap({ RotationRequest(archive: $0) })
        else { return nil }
        self.number = number
        self.rotation = rotation
    }

    var json: JSONValue {
        ["number": JSONValue(number), "rotation": .string(rotation.archive)]
    }
}

/// What the keeper sends after its greeting.
enum KeeperAnswer {
    /// A message for people.
    case message(String)
    case outcome(Int64, RefreshOutcome)
    case failure(Int64, KeeperFailure)

    init?(_ json: JSONValue) {
        if let text = json["message"]?.string {
            self = .message(text)
        } else if let number = json["number"]?.integer, let name = json["outcome"]?.string {
            guard let outcome = RefreshOutcome(rawValue: name) else { return nil }
            self = .outcome(number, outcome)
        } else if let number = json["number"]?.integer, let failure = KeeperFailure(json) {
            self = .failure(number, failure)
        } else {
            return nil
        }
    }

    var json: JSONValue {
        switch self {
        case .message(let text): return ["message": .string(text)]
        case .outcome(let number, let outcome):
            return ["number": JSONValue(number), "outcome": .string(outcome.rawValue)]
        case .failure(let number, let failure):
            var json = failure.json
            json["number"] = JSONValue(number)
            return .object(json)
        }
    }
}

extension KeeperFailure {
    /// A failure in the words of this process.
    init(_ error: any Error) {
        let known = error as? any KnownError
        self.init(
            words: ErrorPresenter.failure(for: error), isPassing: known?.isPassing ?? false,
            retry: known?.retry, movedTo: error.movedTo)
    }

    fileprivate init?(_ json: JSONValue) {
        guard let words = Failure(json: json), let isPassing = json["passing"]?.bool else { return nil }
        let time = json["retry_at_ms"]?.integer.map { Date(timeIntervalSince1970: Double($0) / 1000) }
        let pause: RetryTime? =
            switch json["retry"]?.string {
            case "soon": .soon
            case "when_free": .whenFree
            default: nil
            }
        let retry = time.map(RetryTime.at) ?? pause
        self.init(
            words: words, isPassing: isPassing, retry: retry, movedTo: json["moved_to"]?.string)
    }

    fileprivate var json: JSONObject {
        var json = ErrorPresenter.failure(for: words).json.object ?? [:]
        json["passing"] = .bool(isPassing)
        json["moved_to"] = JSONValue(movedTo)
        switch retry {
        case .soon: json["retry"] = "soon"
        case .whenFree: json["retry"] = "when_free"
        case .at(let time):
            json["retry_at_ms"] = JSONValue(Int64((time.timeIntervalSince1970 * 1000).rounded()))
        case nil: break
        }
        return json
    }
}
