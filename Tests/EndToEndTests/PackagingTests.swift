import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// What is shipped beside the program.
    @Suite("Packaging")
    struct PackagingTests {
        private static let units = Paths.repository.appending(path: "packaging/systemd")
        private static let analyzer = "/usr/bin/systemd-analyze"
        private static var hasSystemd: Bool { FileManager.default.isExecutableFile(atPath: analyzer) }

        @Test(
            "systemd takes the timer and its service", .covers("H5"),
            .enabled(if: hasSystemd, "systemd-analyze is not there"))
        func systemd() async throws {
            let folder = FileManager.default.temporaryDirectory.appending(path: "bskyauth-units-\(UUID())")
            defer { try? FileManager.default.removeItem(at: folder) }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            for name in try FileManager.default.contentsOfDirectory(atPath: Self.units.path) {
                // Where the package puts it, there is nothing here.
                let text = try String(contentsOf: Self.units.appending(path: name), encoding: .utf8)
                    .replacing("ExecStart=bskyauth ", with: "ExecStart=\(Paths.program) ")
                try Data(text.utf8).write(to: folder.appending(path: name))
            }
            let result = try await Program.run(
                Self.analyzer, ["--user", "--man=no", "verify", "bskyauth-refresh.timer"],
                environment: ["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path, "PATH": "/usr/bin:/bin"],
                directory: folder)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
        }

        @Test(
            "installed for one user, systemd finds the timer, the service finds the program, and nothing stays",
            .enabled(if: hasSystemd, "systemd-analyze is not there"))
        func installed() async throws {
            let home = FileManager.default.temporaryDirectory.appending(path: "bskyauth-install-\(UUID())")
            defer { try? FileManager.default.removeItem(at: home) }
            let environment = ["HOME": home.path, "PATH": "/usr/bin:/bin", "XDG_RUNTIME_DIR": home.path]
            func install(_ options: [String]) async throws -> Program.Result {
                try await Program.run(
                    Paths.repository.appending(path: "scripts/install").path,
                    options + ["--prefix", home.appending(path: ".local").path], environment: environment)
            }
            let installed = try await install(["--program", Paths.program])
            #expect(installed.status == 0, "\(installed.errors)")
            let result = try await Program.run(
                Self.analyzer, ["--user", "--man=no", "verify", "bskyauth-refresh.timer"],
                environment: environment, directory: home)
            #expect(result.status == 0 && result.errors.isEmpty, "\(result.errors)")
            let program = home.appending(path: ".local/bin/bskyauth").path
            #expect(installed.errors.hasSuffix("  log in: \(program) login HANDLE\n"), "\(installed.errors)")
            try expectLinks(in: home.appending(path: ".local/share/doc/bskyauth"))
            let removed = try await install(["--uninstall"])
            #expect(removed.status == 0, "\(removed.errors)")
            let left = FileManager.default.enumerator(
                at: home, includingPropertiesForKeys: [.isRegularFileKey])
            for case let file as URL in try #require(left) {
                #expect(
                    try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == false, "\(file)")
            }
        }

        /// Every link between the installed pages leads to one of them.
        private func expectLinks(in folder: URL) throws {
            let files = try #require(FileManager.default.subpaths(atPath: folder.path))
            let pages = files.filter { $0.hasSuffix(".md") }
            #expect(pages.contains("README.md") && pages.contains("docs/scripts.md"))
            for page in pages {
                let file = folder.appending(path: page)
                let text = try String(contentsOf: file, encoding: .utf8)
                for link in text.matches(of: /\]\(([^)#:]+)(#[^)]*)?\)/) {
                    let target = file.deletingLastPathComponent().appending(path: String(link.output.1))
                    #expect(
                        FileManager.default.fileExists(atPath: target.standardized.path),
                        "\(page): \(link.output.0)")
                }
            }
        }

        @Test(
            "a script says what it does and starts no build, also from another folder",
            arguments: [
                "install", "demo", "test", "test-dependency", "dev/bench", "dev/fuzz", "dev/generate",
                "dev/package-deb", "dev/test-package",
            ])
        func help(script: String) async throws {
            let path = Paths.repository.appending(path: "scripts/\(script)").path
            let result = try await Program.run(
                path, ["--help"], environment: ["PATH": "/usr/bin:/bin"],
                directory: FileManager.default.temporaryDirectory)
            let comment = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")[1]
            #expect(result.status == 0 && !result.errors.contains("==>"), "\(result.errors)")
            #expect((result.text + result.errors).hasPrefix(comment.dropFirst(2)), "\(result.text)")
        }

        @Test("the service's command refreshes, and calls a session that ends soon a failure", .covers("H5"))
        func service() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            try await home.logIn("alice.test")
            let service = try String(
                contentsOf: Self.units.appending(path: "bskyauth-refresh.service"), encoding: .utf8)
            let command = try #require(
                service.split(separator: "\n").first { $0.hasPrefix("ExecStart=bskyauth ") })
            var words = command.split(separator: " ").dropFirst().map(String.init)
            // The tests' home has a key of its own.
            let key = try #require(words.firstIndex(of: "--key-file"))
            words.removeSubrange(key...key + 1)
            let fine = try await home.run(words)
            #expect(fine.status == 0 && fine.errors.isEmpty && fine.output.isEmpty, "\(fine.errors)")
            let within = try #require(words.firstIndex(of: "--fail-if-session-ends-within"))
            words[within + 1] = "15d"
            #expect(try await home.run(words).status == 4)
        }

        @Test(
            "the line for cron needs nothing of its environment",
            arguments: ["docs/ci-vault.md", "man/bskyauth-ci.7"])
        func cron(page: String) async throws {
            let text = try String(contentsOf: Paths.repository.appending(path: page), encoding: .utf8)
            let start = "17 6 * * *  "
            let line = try #require(text.split(separator: "\n").first { $0.hasPrefix(start) })
            let command = String(line.dropFirst(start.count))
                .replacing("/usr/local/bin/bskyauth", with: Paths.program)
            let place = try Examples()
            let key = try place.home.folder(".config/bskyauth").appending(path: "key").path
            try await place.run(
                "bskyauth login alice.example.com", ["BSKYAUTH_HOME": "", "BSKYAUTH_KEY_FILE": key])
            let job = try await Program.run(
                "/bin/sh", ["-c", command],
                environment: [
                    "HOME": place.home.directory.path, "PATH": "/usr/bin:/bin",
                    "BSKYAUTH_DEV_NETWORK": place.home.sandbox.address,
                ])
            #expect(job.status == 0 && job.output.isEmpty && job.errors.isEmpty, "\(job.errors)")
        }

        // MARK: The workflow

        private static func workflowText() throws -> String {
            let file = Paths.repository.appending(path: "packaging/ci/github-actions.yml")
            return try String(contentsOf: file, encoding: .utf8)
        }

        @Test("the workflow refreshes and posts, once somebody has logged in as it says")
        func workflow() async throws {
            let text = try Self.workflowText()
            let workflow = try await Workflow(text)
            let place = try Examples()
            let sandbox = place.home.sandbox
            // What is on the runner's machine is here.
            let there = "/var/lib/bskyauth/"
            let here = try place.home.folder("runner").path + "/"
            let comment = "#   "
            let login = try #require(
                text.split(separator: "\n").first { $0.hasPrefix("\(comment)bskyauth login ") })
            try await place.run(String(login.dropFirst(comment.count)).replacing(there, with: here))
            var environment = [
                "HOME": place.home.directory.path, "PATH": place.path, "CI": "true",
                "BSKYAUTH_DEV_NETWORK": sandbox.address,
            ]
            for (name, value) in workflow.variables {
                try #require(value.hasPrefix(there), "\(name)")
                environment[name] = value.replacing(there, with: here)
            }
            try await sandbox.resetJournal()
            for step in workflow.steps {
                let result = try await Program.run(
                    "/bin/bash", ["-e", "-c", step.run], environment: environment,
                    directory: place.home.directory)
                #expect(result.status == 0, "\(step.name): \(result.errors)")
            }
            #expect(workflow.steps.count == 2)
            let posts = try await sandbox.requests().filter {
                $0.line == "POST /xrpc/com.atproto.repo.createRecord" && !$0.isNonceChallenge
            }
            #expect(posts.map(\.status) == [200])
        }

        @Test(
            "what a workflow might say beyond that is refused, and not left out",
            arguments: [
                ("run: bskyauth", "run: bskyauth ${{ inputs.option }}"),
                ("run: bskyauth", "shell: sh\n        run: bskyauth"),
                ("      - name: Post", "      - uses: actions/checkout@v5\n      - name: Post"),
                ("    env:", "    defaults:\n      run:\n        shell: sh\n    env:"),
                ("jobs:", "defaults: {}\njobs:"), ("    env:", "    if: false\n    env:"),
            ])
        func strictness(part: String, other: String) async throws {
            let text = try Self.workflowText()
            try #require(text.contains(part))
            await #expect(throws: Workflow.NotUnderstood.self) {
                _ = try await Workflow(text.replacing(part, with: other))
            }
        }
    }
}
