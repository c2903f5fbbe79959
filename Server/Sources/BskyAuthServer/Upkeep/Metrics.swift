internal import ATProtoSessions
internal import FoundationEssentials
internal import HTTPTypes
internal import Hummingbird
internal import Synchronization

/// A count that the server gives to Prometheus. Names and labels are the server's own, so a client can't make more of them.
enum Metric: String, CaseIterable {
    case requests = "bskyauth_requests_total"
    case requestTime = "bskyauth_request_seconds"
    case logins = "bskyauth_logins_total"
    case refreshes = "bskyauth_refreshes_total"
    case outgoing = "bskyauth_outgoing_requests_total"
    case storeOperations = "bskyauth_store_operations_total"
    case unknownClients = "bskyauth_unknown_clients_total"
    case sweeps = "bskyauth_sweeps_total"
    case sweptAccounts = "bskyauth_swept_accounts"
    case accounts = "bskyauth_accounts"
    case sessions = "bskyauth_sessions"
    case lastSweep = "bskyauth_last_sweep_timestamp_seconds"
    case start = "bskyauth_start_timestamp_seconds"

    fileprivate var type: String {
        switch self {
        case .requests, .logins, .refreshes, .outgoing, .storeOperations, .unknownClients, .sweeps: "counter"
        case .requestTime: "histogram"
        case .sweptAccounts, .accounts, .sessions, .lastSweep, .start: "gauge"
        }
    }

    fileprivate var help: String {
        switch self {
        case .requests: "Requests by route, method and status."
        case .requestTime: "The time until the head of the answer, by route."
        case .logins: "Logins by their end: begun, completed, or the error."
        case .refreshes:
            "Sessions of accounts that this process has refreshed, and those whose servers have ended them."
        case .outgoing:
            "Requests to other servers by how they ended. Those that were cancelled are not counted."
        case .storeOperations:
            "Operations on the rows, and on the store of a shared vault."
        case .unknownClients: "Requests whose client the proxy does not name in a way that can be read."
        case .sweeps: "Sweeps by their end: done, elsewhere or failed."
        case .sweptAccounts: "Accounts of the last sweep by what became of them."
        case .accounts: "Accounts in the vault, when the last sweep began."
        case .sessions: "Sessions with an account in the vault, in the last sweep."
        case .lastSweep: "When the last sweep ended, in seconds since 1970."
        case .start: "When the server started, in seconds since 1970."
        }
    }

    /// The labels that are known before anything has happened. A rate needs their 0.
    fileprivate var first: [[(String, String)]] {
        func results(_ results: String...) -> [[(String, String)]] { results.map { [("result", $0)] } }
        return switch self {
        case .logins: results("begun", "completed")
        case .refreshes: results("refreshed", "ended")
        case .outgoing: OutsideTransport.Result.allCases.map { [("result", $0.rawValue)] }
        case .storeOperations:
            ["rows", "vault"].flatMap { store in
                CountedRows.Operation.allCases.flatMap { operation in
                    ["done", "failed"].map {
                        [("store", store), ("operation", operation.rawValue), ("result", $0)]
                    }
                }
            }
        case .unknownClients: [[]]
        case .sweeps: results("done", "elsewhere", "failed")
        case .requests, .requestTime, .sweptAccounts, .accounts, .sessions, .lastSweep, .start: []
        }
    }
}

/// Counts what the server does, for Prometheus (its text format 0.0.4).
final class Metrics: Sendable {
    private struct Histogram {
        /// How many were at most as long as each bound, and how many there were.
        var counts = [Int](repeating: 0, count: Metrics.bounds.count + 1)
        var sum = 0.0
    }

    private struct State {
        /// By the text of the labels.
        var values: [Metric: [String: Double]] = [:]
        var histograms: [Metric: [String: Histogram]] = [:]
    }

    /// The longest times of the buckets, in seconds. A call waits for another server, which may take half a minute.
    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

    private let state: Mutex<State>

    init() {
        var values: [Metric: [String: Double]] = [:]
        for metric in Metric.allCases {
            for labels in metric.first { values[metric, default: [:]][Self.text(labels)] = 0 }
        }
        state = Mutex(State(values: values))
    }

    func add(to metric: Metric, _ labels: [(String, String)] = []) {
        let labels = Self.text(labels)
        state.withLock { $0.values[metric, default: [:]][labels, default: 0] += 1 }
    }

    func set(_ metric: Metric, _ labels: [(String, String)] = [], to value: Double) {
        let labels = Self.text(labels)
        state.withLock { $0.values[metric, default: [:]][labels] = value }
    }

    func observe(_ time: Duration, in metric: Metric, _ labels: [(String, String)]) {
        let seconds = time / .seconds(1)
        let labels = Self.text(labels)
        state.withLock {
            var histogram = $0.histograms[metric, default: [:]][labels] ?? Histogram()
            for (place, bound) in Self.bounds.enumerated() where seconds <= bound {
                histogram.counts[place] += 1
            }
            histogram.counts[Self.bounds.count] += 1
            histogram.sum += seconds
            $0.histograms[metric, default: [:]][labels] = histogram
        }
    }

    /// What a sweep found.
    func note(_ report: Sweep.Report, at now: Date) {
        for (result, count) in [
            ("kept", report.kept), ("logged_out", report.loggedOut), ("waiting", report.waiting),
            ("refreshed", report.refreshed), ("not_refreshed", report.notRefreshed), ("ended", report.ended),
        ] {
            set(.sweptAccounts, [("result", result)], to: Double(count))
        }
        set(.accounts, to: Double(report.accounts))
        if let sessions = report.sessions { set(.sessions, to: Double(sessions)) }
        set(.lastSweep, to: now.timeIntervalSince1970.rounded())
    }

    /// Counts what becomes of sessions, until the events end.
    func count(_ events: AsyncStream<SessionEvent>) async {
        for await event in events {
            switch event.kind {
            case .refreshed: add(to: .refreshes, [("result", "refreshed")])
            case .ended: add(to: .refreshes, [("result", "ended")])
            default: break
            }
        }
    }

    var text: String {
        let state = state.withLock { $0 }
        return Metric.allCases.map { metric in
            let lines =
                state.values[metric, default: [:]].sorted { $0.key < $1.key }.map {
                    Self.line(metric.rawValue, $0.key, $0.value)
                }
                + state.histograms[metric, default: [:]].sorted { $0.key < $1.key }.flatMap {
                    Self.lines(metric.rawValue, $0.key, $0.value)
                }
            guard !lines.isEmpty else { return "" }
            let head = "# HELP \(metric.rawValue) \(metric.help)\n# TYPE \(metric.rawValue) \(metric.type)\n"
            return head + lines.joined()
        }.joined()
    }

    private static func lines(_ name: String, _ labels: String, _ histogram: Histogram) -> [String] {
        let bounds = bounds.map(Self.number) + ["+Inf"]
        return zip(bounds, histogram.counts).map { bound, count in
            line("\(name)_bucket", (labels.isEmpty ? "" : labels + ",") + "le=\"\(bound)\"", Double(count))
        } + [
            line("\(name)_sum", labels, histogram.sum),
            line("\(name)_count", labels, Double(histogram.counts[Self.bounds.count])),
        ]
    }

    private static func line(_ name: String, _ labels: String, _ value: Double) -> String {
        "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(number(value))\n"
    }

    private static func number(_ value: Double) -> String {
        value == value.rounded() ? "\(Int(value))" : "\(value)"
    }

    private static func text(_ labels: [(String, String)]) -> String {
        labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
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
            to: .requests, [("route", route), ("method", method), ("status", "\(response.status.code)")])
        metrics.observe(time, in: .requestTime, [("route", route)])
        return response
    }

    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .patch, .delete, .options,
    ]
}
