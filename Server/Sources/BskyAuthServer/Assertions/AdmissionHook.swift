internal import FoundationEssentials
internal import HTTPTypes
internal import Logging
internal import Subprocess
internal import Synchronization
internal import SystemPackage

/// A command of the operator that decides whether a session key is admitted, such as one that verifies an attestation of a
/// platform. It reads the facts of the request as JSON from standard input. Exit status 0 admits the key.
final class AdmissionHook: Sendable {
    /// The facts of a request that the command learns.
    struct Facts: Encodable {
        let version = 1
        let thumbprint: String
        let audience: String
        let client: String
        let certificate: String?
        let attestation: String?
    }

    /// The most runs of the command at once, because a stranger's request starts a process. Others are told to come back.
    private static let most = 4

    private let words: [String]
    private let limit: Duration
    private let log: Logger
    private let running = Mutex(0)

    /// - Parameters:
    ///   - words: the absolute path of the command, and its arguments.
    ///   - limit: how long it may take.
    init(_ words: [String], limit: Duration, log: Logger) {
        self.words = words
        self.limit = limit
        self.log = log
    }

    /// Whether the command admits a request. A command that fails or takes too long does not.
    func admits(_ facts: Facts) async throws -> Bool {
        let input = Array(try JSONEncoder().encode(facts)) + [10]
        try enter()
        defer { running.withLock { $0 -= 1 } }
        do {
            return try await withLimit(limit) { [words] in try await Self.run(words, input) }
        } catch is LimitReached {
            log.warning(
                "the hook took longer than its time, and was ended", metadata: ["hook": "\(words[0])"])
            return false
        } catch let error as SubprocessError {
            log.error("the hook can't be run: \(error)", metadata: ["hook": "\(words[0])"])
            throw Problem(
                .serviceUnavailable, "temporarily_unavailable",
                "The backend can't decide now whether this session key is admitted. Try again later.",
                retryAfter: 60)
        }
    }

    /// Counts a run, unless too many run already.
    private func enter() throws {
        try running.withLock { running in
            guard running < Self.most else {
                throw Problem(
                    .serviceUnavailable, "temporarily_unavailable", "Too many keys ask now. Try again.",
                    retryAfter: 5)
            }
            running += 1
        }
    }

    /// Runs the command in a session of its own, with nothing of this process but a path. Its standard error is the server's.
    /// When the task is cancelled, the command and all that it has started are killed.
    private static func run(_ words: [String], _ input: [UInt8]) async throws -> Bool {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [
            .send(signal: .kill, toProcessGroup: true, allowedDurationToNextStep: .seconds(1))
        ]
        let result = try await Subprocess.run(
            .path(FilePath(words[0])), arguments: Arguments(Array(words.dropFirst())),
            environment: .custom(["PATH": "/usr/local/bin:/usr/bin:/bin"]), platformOptions: options,
            input: .inputWriter, output: .discarded, error: .currentStandardError
        ) { command in
            // A command may decide without reading. Its exit status counts then, too.
            _ = try? await command.standardInputWriter.write(input)
            try? await command.standardInputWriter.finish()
        }
        return result.terminationStatus.isSuccess
    }
}
