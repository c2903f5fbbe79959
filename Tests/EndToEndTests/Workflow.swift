/// A workflow of GitHub Actions that has one job, whose steps are commands. What else a workflow may say is refused.
struct Workflow {
    struct Step {
        let name: String
        /// What `bash -e` is given.
        let run: String
    }

    /// The variables of the job.
    let environment: [String: String]
    let steps: [Step]

    init(_ document: String) throws {
        let workflow = try PlainYAML(document).members(named: "name", "on", "concurrency", "jobs")
        let jobs = try workflow["jobs", default: .nothing].members()
        guard jobs.count == 1, let only = jobs.values.first else {
            throw PlainYAML.NotUnderstood(what: "\(jobs.count) jobs")
        }
        let job = try only.members(named: "runs-on", "env", "steps")
        environment = try job["env", default: .nothing].members().mapValues { try $0.text() }
        steps = try job["steps", default: .nothing].items().map { item in
            let step = try item.members(named: "name", "run").mapValues { try $0.text() }
            let run = step["run", default: ""]
            // What GitHub puts in would be put in here too.
            guard !run.contains("${{") else { throw PlainYAML.NotUnderstood(what: run) }
            return Step(name: step["name", default: ""], run: run)
        }
    }
}
