import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation

/// A repository on GitHub with hosted runners, on this machine. Its secrets and variables are those that the stand-in for
/// `gh` keeps.
///
/// As on GitHub, a run gets the secrets of the repository as they are when it is queued, and those of an environment as they
/// are when its job starts. A variable that a job asks `gh` for is the present one.
struct GitHub {
    let place: Examples

    /// A run that waits for its turn.
    struct Run {
        let number: Int
        let workflow: Workflow
        /// The repository's secrets.
        let secrets: [String: String]
    }

    /// A job that has ended.
    struct Job {
        /// The exit status of the step that failed first; 0 if all succeeded.
        var status: Int32 = 0
        var errors = ""
    }

    private var state: URL { place.home.directory.appending(path: "github") }

    func queue(_ workflow: Workflow, number: Int) -> Run {
        Run(number: number, workflow: workflow, secrets: values("repository/secret"))
    }

    /// Runs the job on a machine that has nothing of the jobs before it.
    ///
    /// - Parameter hook: called before each step.
    func start(_ run: Run, before hook: (Workflow.Step) async throws -> Void = { _ in }) async throws -> Job {
        let inputs = inputs(of: run)
        try note("\(run.number) started")
        let folder = try place.home.folder("runner-\(run.number)")
        let file = folder.appending(path: "github-env")
        try Data().write(to: file)
        var job = Job()
        for step in run.workflow.steps where job.status == 0 || step.isLast {
            try await hook(step)
            var variables = Self.machine(folder, run)
            variables["PATH"] = place.path
            variables["BSKYAUTH_DEV_NETWORK"] = place.home.sandbox.address
            try variables.merge(Self.given(run.workflow.variables, inputs)) { $1 }
            try variables.merge(Self.noted(in: file)) { $1 }
            try variables.merge(Self.given(step.variables, inputs)) { $1 }
            let result = try await Program.run(
                "/bin/bash", ["-e", "-c", step.run], environment: variables, directory: folder)
            job.errors += "\(step.name):\n\(result.errors)"
            if job.status == 0 { job.status = result.status }
        }
        try note("\(run.number) ended")
        return job
    }

    private static func machine(_ folder: URL, _ run: Run) -> [String: String] {
        [
            "HOME": folder.path, "RUNNER_TEMP": folder.path, "CI": "true", "GITHUB_ACTIONS": "true",
            "GITHUB_RUN_ID": String(run.number), "GITHUB_ENV": folder.appending(path: "github-env").path,
        ]
    }

    /// What expressions of the workflow stand for.
    private func inputs(of run: Run) -> [String: String] {
        var inputs = ["github.repository": "octocat/bot"]
        for (name, value) in run.secrets { inputs["secrets.\(name)"] = value }
        for (name, value) in values("repository/variable") { inputs["vars.\(name)"] = value }
        guard let environment = run.workflow.environment else { return inputs }
        for (name, value) in values("environments/\(environment)/secret") {
            inputs["secrets.\(name)"] = value
        }
        for (name, value) in values("environments/\(environment)/variable") { inputs["vars.\(name)"] = value }
        return inputs
    }

    /// A secret or variable that does not exist is empty, as on GitHub.
    private static func given(_ variables: [String: String], _ inputs: [String: String]) throws -> [String:
        String]
    {
        try variables.mapValues { text in
            guard let expression = text.wholeMatch(of: /\$\{\{ ([\w.]+) \}\}/) else {
                if text.contains("${{") { throw Workflow.NotUnderstood(what: text) }
                return text
            }
            return inputs[String(expression.1)] ?? ""
        }
    }

    private static func noted(in file: URL) throws -> [String: String] {
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
        return Dictionary(
            uniqueKeysWithValues: lines.map { line in
                let parts = line.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), String(parts[1]))
            })
    }

    private func values(_ path: String) -> [String: String] {
        let folder = state.appending(path: path)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        let pairs = names.compactMap { name in
            (try? String(contentsOf: folder.appending(path: name), encoding: .utf8)).map { (name, $0) }
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    /// The lines of `gh`'s log. A job has a line when it has read its secrets, and another at its end.
    func log() -> [String] {
        let text = try? String(contentsOf: state.appending(path: "log"), encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }

    private func note(_ line: String) throws {
        let log = try FileHandle(forWritingTo: state.appending(path: "log"))
        try log.seekToEnd()
        try log.write(contentsOf: Data("\(line)\n".utf8))
    }

    func clearLog() throws { try Data().write(to: state.appending(path: "log")) }

    /// Lets the next `gh secret set` or `gh variable set` fail.
    func failOnce(_ kind: String) throws { try Data().write(to: state.appending(path: "fail-\(kind)")) }
}
