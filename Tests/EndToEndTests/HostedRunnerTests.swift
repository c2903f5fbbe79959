import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// The workflow for hosted runners, on a stand-in for GitHub, prepared as docs/ci-hosted.md says.
    @Suite("The workflow for hosted runners")
    struct HostedRunnerTests {
        private let place: Examples
        private let github: GitHub
        private let workflow: Workflow

        init() async throws {
            place = try Examples(sandbox: ["--access-token-ttl", "10m"])
            github = GitHub(place: place)
            workflow = try await Workflow(Self.text())
            try await place.logIn()
            try await place.run(try DocumentPage("docs/ci-hosted.md").script)
        }

        private static func text() throws -> String {
            let file = Paths.repository.appending(path: "packaging/ci/github-actions-hosted.yml")
            return try String(contentsOf: file, encoding: .utf8)
        }

        private var sandbox: Sandbox { place.home.sandbox }

        /// Lets the access token end, so that the next job has to refresh.
        private func endAccessToken() async throws { try await sandbox.advanceClock("11m") }

        private func refreshes() async throws -> [JournalRequest] {
            try await sandbox.requests().filter { $0.isRefresh && !$0.isNonceChallenge }
        }

        @Test("five jobs in a row use one session; one of them was queued while another had yet to refresh")
        func inARow() async throws {
            #expect(workflow.isQueued && workflow.environment != nil)
            try await sandbox.resetJournal()
            var waiting: [GitHub.Run] = []
            for number in 1...5 {
                try await endAccessToken()
                let run = waiting.popLast() ?? github.queue(workflow, number: number)
                let job = try await github.start(run) { step in
                    guard number == 2, step.name == "Post" else { return }
                    waiting.append(github.queue(workflow, number: number + 1))
                }
                #expect(job.status == 0, "job \(number): \(job.errors)")
            }
            let refreshes = try await refreshes()
            #expect(refreshes.count == 5 && refreshes.allSatisfy { $0.consumed && $0.status == 200 })
            #expect(try await sandbox.requests().allSatisfy { !$0.sessionEnded })
        }

        @Test("with secrets of the repository, a run that waited is stopped, and nothing is sent")
        func repositorySecrets() async throws {
            // The stand-in would not show the mistake if it did not read these secrets when the run is queued.
            let text = try Self.text().replacing("    environment: bskyauth\n", with: "")
            let workflow = try await Workflow(text)
            let state = place.home.directory.appending(path: "github")
            try FileManager.default.copyItem(
                at: state.appending(path: "environments/bskyauth"), to: state.appending(path: "repository"))
            let waiting = github.queue(workflow, number: 2)
            try await endAccessToken()
            #expect(try await github.start(github.queue(self.workflow, number: 1)).status == 0)
            try await sandbox.resetJournal()
            let job = try await github.start(waiting)
            #expect(job.status == 75, "\(job.errors)")
            #expect(try await refreshes().isEmpty)
        }

        @Test("a job whose session was refreshed by another one since stops before it sends a token")
        func overtaken() async throws {
            try await endAccessToken()
            let late = github.queue(workflow, number: 2)
            let job = try await github.start(late) { step in
                guard step.name == "Post" else { return }
                #expect(try await github.start(github.queue(workflow, number: 1)).status == 0)
                try await sandbox.resetJournal()
            }
            #expect(job.status == 75 && job.errors.contains("no token was used"), "\(job.errors)")
            #expect(try await refreshes().isEmpty)
            // The session is not lost.
            try await endAccessToken()
            #expect(try await github.start(github.queue(workflow, number: 3)).status == 0)
        }

        @Test(
            "a later step stores a session that the script could not store",
            arguments: ["secret", "variable"])
        func storedLate(_ kind: String) async throws {
            try await endAccessToken()
            // Before the refresh it must succeed, so it is broken while the request is on its way.
            let failing = Task { [github] in
                while !github.log().contains(where: { $0.hasPrefix("1 variable set") || $0 == "1 ended" }) {
                    await Task.yield()
                }
                try github.failOnce(kind)
            }
            try await sandbox.setFaults(
                #"[{"match":{"grant":"refresh_token"},"times":1,"action":{"delay":"2s","when":"after"}}]"#)
            let job = try await github.start(github.queue(workflow, number: 1))
            try await failing.value
            #expect(
                job.status == 1 && job.errors.contains("handed over: the store had an earlier"),
                "\(job.errors)")
            try await endAccessToken()
            #expect(try await github.start(github.queue(workflow, number: 2)).status == 0)
        }

        @Test("a variable that is no number, or does not exist, stops a job before it sends a token")
        func noGeneration() async throws {
            try await endAccessToken()
            for value in ["", "3x", "-1"] {
                try await place.run("gh variable set BSKYAUTH_GENERATION --env bskyauth --body '\(value)'")
                #expect(try await github.start(github.queue(workflow, number: 1)).status == 64)
                let script = try await place.run(
                    "status=0; bskyauth-store-github bskyauth < /dev/null || status=$?; echo $status",
                    ["BSKYAUTH_BUNDLE_GENERATION": "7"])
                #expect(script.text == "1\n", "\(script.errors)")
            }
            #expect(try await refreshes().isEmpty)
        }

        // MARK: Two at once

        /// What became of two jobs that ran at once.
        private enum Outcome: String, CaseIterable {
            case stopped = "the guard stopped one"
            case ended = "the session ended"
            case bothUsedIt = "both succeeded"
        }

        @Test("without a group, the guard stops the second job once the first has stored its session")
        func atOnce() async throws {
            let workflow = try await Workflow(
                Self.text().replacing(
                    "concurrency:\n  group: bskyauth\n  cancel-in-progress: false\n", with: ""))
            try #require(!workflow.isQueued)
            var found: [Outcome: Int] = [:]
            let tries = testsAll ? 50 : 10
            for number in 1...tries {
                found[try await pair(workflow, number: number), default: 0] += 1
            }
            let figures = Outcome.allCases.map { "\($0.rawValue) \(found[$0] ?? 0)" }
            print("two jobs at once, \(tries) tries: \(figures.joined(separator: ", "))")
            #expect(found[.stopped] != nil)
        }

        /// Starts a job, and another one when the first has come to a point that depends on the number.
        private func pair(_ workflow: Workflow, number: Int) async throws -> Outcome {
            try await endAccessToken()
            try github.clearLog()
            try await sandbox.resetJournal()
            let (one, two) = (2 * number, 2 * number + 1)
            let github = github
            // A job that does all has eight lines before its end.
            async let first = github.start(github.queue(workflow, number: one))
            while github.log().count < number % 9 {
                guard !github.log().contains("\(one) ended") else { break }
                await Task.yield()
            }
            async let second = github.start(github.queue(workflow, number: two))
            let (jobs, log) = (try await [one: first, two: second], github.log())
            let ended = try await sandbox.requests().contains(where: \.sessionEnded)
            for (this, that) in [(one, two), (two, one)] where Self.isTooLate(this, after: that, log) {
                #expect(jobs[this]?.status == 75 && !ended, "\(log)\n\(jobs)")
            }
            if ended || !jobs.values.allSatisfy({ [0, 75].contains($0.status) }) { try await startAgain() }
            if ended { return .ended }
            return jobs.values.contains { $0.status == 75 } ? .stopped : .bothUsedIt
        }

        /// Whether a job has the session from before a refresh of the other one, which was stored before it asked for the
        /// generation that it would replace.
        private static func isTooLate(_ this: Int, after that: Int, _ log: [String]) -> Bool {
            func lines(_ text: String) -> [Int] { log.indices.filter { log[$0].hasPrefix(text) } }
            // Each twice: before the refresh and after it; at the import and before the refresh.
            let (secrets, variables) = (lines("\(that) secret set"), lines("\(that) variable set"))
            let asked = lines("\(this) variable get")
            guard let started = lines("\(this) started").first, secrets.count == 2, variables.count == 2,
                let last = asked.prefix(2).last
            else { return false }
            return started < secrets[1] && variables[1] < last
        }

        private func startAgain() async throws {
            try await place.run("echo github_pat_1 > github-token.txt")
            try await place.run("bskyauth login bot.example.com --label bot")
            try await place.run(try DocumentPage("docs/ci-hosted.md").script)
        }
    }
}
