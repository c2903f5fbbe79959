import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation

/// A workflow of GitHub Actions that has one job, whose steps are commands. Anything else that a workflow may say is
/// refused, because it would change what is run.
struct Workflow {
    struct Step {
        let name: String
        /// What `bash -e` is given.
        let run: String
        /// Variables in addition to those of the job.
        let variables: [String: String]
        /// Whether it runs after a failure too.
        let isLast: Bool
    }

    struct NotUnderstood: Error {
        let what: String
    }

    /// The text is no YAML, or no Python can read it.
    struct NotRead: Error {
        let errors: String
    }

    /// The variables of the job.
    let variables: [String: String]
    let steps: [Step]
    /// The environment whose secrets the job gets, in addition to those of the repository.
    let environment: String?
    /// Whether GitHub runs one job after the other and cancels none that runs.
    let isQueued: Bool

    init(_ document: String) async throws {
        let workflow = try await Self.members(
            Self.read(document), named: ["name", "on", "jobs"], andMaybe: ["concurrency", "permissions"])
        isQueued = try Self.isQueued(workflow["concurrency"])
        guard let jobs = workflow["jobs"] as? [String: Any], jobs.count == 1, let only = jobs.values.first
        else { throw NotUnderstood(what: "jobs") }
        let job = try Self.members(only, named: ["runs-on", "env", "steps"], andMaybe: ["environment"])
        guard let variables = job["env"] as? [String: String], let steps = job["steps"] as? [Any] else {
            throw NotUnderstood(what: "env, or steps")
        }
        self.variables = variables
        environment = job["environment"] as? String
        self.steps = try steps.map(Self.step)
    }

    private static func read(_ document: String) async throws -> Any {
        // Not the first python3 of PATH: Debian's has PyYAML. Every value is a text.
        let read = try await Program.run(
            "/usr/bin/python3",
            ["-c", "import json, sys, yaml; json.dump(yaml.load(sys.stdin, yaml.BaseLoader), sys.stdout)"],
            environment: [:], input: Data(document.utf8))
        guard read.status == 0 else { throw NotRead(errors: read.errors) }
        return try JSONSerialization.jsonObject(with: read.output)
    }

    private static func isQueued(_ concurrency: Any?) throws -> Bool {
        guard let concurrency, !(concurrency is String) else { return concurrency != nil }
        let members = try members(concurrency, named: ["group", "cancel-in-progress"])
        guard members["cancel-in-progress"] as? String == "false" else {
            throw NotUnderstood(what: "cancel-in-progress")
        }
        return true
    }

    private static func step(_ value: Any) throws -> Step {
        let step = try members(value, named: ["name", "run"], andMaybe: ["env", "if"])
        let variables = step["env"] ?? [String: String]()
        let condition = step["if"] as? String
        // What GitHub puts in would be put in here too.
        guard let name = step["name"] as? String, let run = step["run"] as? String, !run.contains("${{"),
            let variables = variables as? [String: String], [nil, "always()"].contains(condition)
        else { throw NotUnderstood(what: "\(step)") }
        return Step(name: name, run: run, variables: variables, isLast: condition != nil)
    }

    /// The members of a mapping that has all of these, maybe some of the others, and no more.
    private static func members(
        _ value: Any, named names: Set<String>, andMaybe others: Set<String> = []
    ) throws -> [String: Any] {
        guard let members = value as? [String: Any], names.isSubset(of: members.keys),
            names.union(others).isSuperset(of: members.keys)
        else { throw NotUnderstood(what: "\(value)") }
        return members
    }
}
