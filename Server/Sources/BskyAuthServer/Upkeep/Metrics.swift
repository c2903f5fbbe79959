internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// Counts what the server does, for Prometheus (its text format 0.0.4). The names and labels are the server's own, so a client
/// can't make more of them.
final class Metrics: Sendable {
    private struct Series: Hashable, Comparable {
        let name: String
        /// The labels as the text has them.
        let labels: String

        static func < (one: Self, other: Self) -> Bool {
            (one.name, one.labels) < (other.name, other.labels)
        }
    }

    private struct State {
        var values: [Series: Double] = [:]
    }

    private static let help: [String: (type: String, words: String)] = [
        "bskyauth_requests_total": ("counter", "Requests by route, method and status."),
        "bskyauth_request_seconds_total": ("counter", "The time until the head of the answer, by route."),
        "bskyauth_logins_total": ("counter", "Logins by their end: begun, completed, or the error."),
        "bskyauth_unknown_clients_total": (
            "counter", "Requests whose client the proxy does not name in a way that can be read."
        ),
        "bskyauth_sweeps_total": ("counter", "Sweeps by their end: done, elsewhere or failed."),
        "bskyauth_swept_accounts": ("gauge", "Accounts of the last sweep by what became of them."),
        "bskyauth_last_sweep_timestamp_seconds": (
            "gauge", "When the last sweep ended, in seconds since 1970."
        ),
        "bskyauth_start_timestamp_seconds": ("gauge", "When the server started, in seconds since 1970."),
    ]

    private let state = Mutex(State())

    func add(_ value: Double = 1, to name: String, _ labels: [(String, String)] = []) {
        let series = Series(name: name, labels: Self.text(labels))
        state.withLock { $0.values[series, default: 0] += value }
    }

    func set(_ name: String, _ labels: [(String, String)] = [], to value: Double) {
        let series = Series(name: name, labels: Self.text(labels))
        state.withLock { $0.values[series] = value }
    }

    /// What a sweep found.
    func note(_ report: Sweep.Report, at now: Date) {
        for (result, count) in [
            ("kept", report.kept), ("logged_out", report.loggedOut), ("waiting", report.waiting),
            ("refreshed", report.refreshed), ("not_refreshed", report.notRefreshed), ("ended", report.ended),
        ] {
            set("bskyauth_swept_accounts", [("result", result)], to: Double(count))
        }
        set("bskyauth_last_sweep_timestamp_seconds", to: now.timeIntervalSince1970.rounded())
    }

    var text: String {
        var (text, last) = ("", "")
        for (series, value) in state.withLock(\.values).sorted(by: { $0.key < $1.key }) {
            if series.name != last, let help = Self.help[series.name] {
                text += "# HELP \(series.name) \(help.words)\n# TYPE \(series.name) \(help.type)\n"
            }
            last = series.name
            let number = value == value.rounded() ? "\(Int(value))" : "\(value)"
            text += "\(series.name)\(series.labels) \(number)\n"
        }
        return text
    }

    private static func text(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",") + "}"
    }
}

/// Counts the requests. It is the outermost middleware, so that it sees the status that the client gets.
struct RequestCounter: RouterMiddleware {
    typealias Context = ServerContext

    let metrics: Metrics

    @concurrent func handle(
        _ request: Request, context: ServerContext,
        next: @concurrent (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        let response = try await next(request, context)
        let time = start.duration(to: .now)
        let route = context.endpointPath ?? "none"
        let method = Self.methods.contains(request.method) ? request.method.rawValue : "other"
        metrics.add(
            to: "bskyauth_requests_total",
            [("route", route), ("method", method), ("status", "\(response.status.code)")])
        metrics.add(
            Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18,
            to: "bskyauth_request_seconds_total", [("route", route)])
        return response
    }

    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .patch, .delete, .options,
    ]
}
