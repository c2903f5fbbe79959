import EndToEndSupport
import Foundation
import TestPrograms

/// A workflow of GitHub Actions that has one job, whose steps are commands. What else a workflow may say is refused: it
/// would change what is run.
struct Workflow {
    struct Step {
        let name: String
        /// What `bash -e` is given.
        let run: String
    }

    struct NotUnderstood: Error {
        let what: String
    }

    /// It is no YAML, or there is nothing that reads it.
    struct NotRead: Error {
        let errors: String
    }

    /// The variables of the job.
    let environment: [String: String]
    let steps: [Step]

    init(_ document: String) async throws {
        // Not the first python3 of PATH: Debian's has PyYAML. Every value is a text.
        let read = try await Program.run(
            "/usr/bin/python3",
            ["-c", "import json, sys, yaml; json.dump(yaml.load(sys.stdin, yaml.BaseLoader), sys.stdout)"],
            environment: [:], input: Data(document.utf8))
        guard read.status == 0 else { throw NotRead(errors: read.errors) }
        let workflow = try Self.members(
            JSONSerialization.jsonObject(with: read.output),
            named: ["name", "on", "concurrency", "jobs"])
        guard let jobs = workflow["jobs"] as? [String: Any], jobs.count == 1, let only = jobs.values.first
        else { throw NotUnderstood(what: "jobs") }
        let job = try Self.members(only, named: ["runs-on", "env", "steps"])
        guard let environment = job["env"] as? [String: String], let steps = job["steps"] as? [Any] else {
            throw NotUnderstood(what: "env, or steps")
        }
        self.environment = environment
        self.steps = try steps.map { step in
            let step = try Self.members(step, named: ["name", "run"])
            // What GitHub puts in would be put in here too.
            guard let name = step["name"] as? String, let run = step["run"] as? String, !run.contains("${{")
            else { throw NotUnderstood(what: "\(step)") }
            return Step(name: name, run: run)
        }
    }

    /// Those of a mapping that has these and no others.
    private static func members(_ value: Any, named names: Set<String>) throws -> [String: Any] {
        guard let members = value as? [String: Any], Set(members.keys) == names else {
            throw NotUnderstood(what: "\(value)")
        }
        return members
    }
}
