import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Logins that ask for sets which their authors publish.
    @Suite("Permission sets of other apps") struct LexiconSetTests {
        private let publisher: LexiconPublisher
        /// Who calls.
        private let caller: Home

        init() async throws {
            publisher = try await LexiconPublisher()
            caller = try Home(publisher.sandbox, publisher.variables)
        }

        /// Publishes a permission set under the name of the tree.
        private func publishSet(_ permissions: [[String: Any]]) async throws {
            let set: [String: Any] = [
                "type": "permission-set", "title": "Issues", "permissions": permissions,
            ]
            try await publisher.publish(LexiconPublisher.tree, changing: ["defs": ["main": set]])
        }

        private static var issues: [String: Any] {
            [
                "type": "permission", "resource": "repo", "collection": ["sh.tangled.repo.issue"],
            ]
        }
        private static var calls: [String: Any] {
            [
                "type": "permission", "resource": "rpc", "lxm": ["sh.tangled.repo.log"], "inheritAud": true,
            ]
        }

        @Test(
            "a login asks for a set of another app, and says before the browser what it permits",
            .covers("S6"))
        func login() async throws {
            try await publishSet([Self.issues])
            let login = try await caller.run(
                "login", "bob.test", "--permission", LexiconPublisher.tree, "--scope", "atproto")
            let lines = login.errors.split(separator: "\n").map(String.init)
            #expect(
                lines.contains(
                    #"\#(LexiconPublisher.tree) (its author calls it "Issues"): as its author publishes it now"#
                ),
                "\(login.errors)")
            #expect(lines.contains("  create, edit and delete records of sh.tangled.repo.issue"))
            // A next step asks for the set again, so that its words are shown again.
            let late = try await caller.run(
                "login", "bob.test", "--permission", LexiconPublisher.tree, "--no-browser", "--timeout", "1s")
            #expect(
                late.status == 75
                    && late.errors.contains("login bob.test --permission \(LexiconPublisher.tree)"),
                "\(late.errors)")
            // What it stands for now, word for word.
            let frozen = try await caller.run(
                "login", "bob.test", "--permission", LexiconPublisher.tree, "--frozen", "--no-browser",
                "--timeout", "1s")
            #expect(frozen.errors.contains("create, edit and delete records of sh.tangled.repo.issue"))
            #expect(!frozen.errors.contains("its author calls it"))
        }

        @Test("a set needs an audience only if a permission takes it from the scope")
        func audience() async throws {
            try await publishSet([Self.issues, Self.calls])
            let login = [
                "login", "bob.test", "--no-browser", "--timeout", "1s", "--permission", LexiconPublisher.tree,
            ]
            let named = try await caller.run(login + ["--aud", "did:web:knot.example.com#knot"])
            #expect(named.errors.contains("at did:web:knot.example.com#knot"), "\(named.errors)")
            try await publishSet([Self.calls])
            let refused = try await caller.run(login)
            #expect(refused.status == 64 && refused.errors.contains("needs an aud"), "\(refused.errors)")
            try await publishSet([Self.issues])
            let needless = try await caller.run(login + ["--aud", "did:web:knot.example.com#knot"])
            #expect(needless.status == 64)
        }

        @Test("a set without proof is not asked for, unless that is wanted, and a method is no set")
        func unprovenSet() async throws {
            try await publishSet([Self.issues])
            try await publisher.fault("wrong_key")
            let requests = try await publisher.sandbox.requests {
                let refused = try await caller.run("login", "bob.test", "--permission", LexiconPublisher.tree)
                #expect(
                    refused.status == 13
                        && refused.errors.contains(
                            "to ask for it without knowing what it permits, add --no-check")
                )
            }
            #expect(requests.allSatisfy { $0.path != "/oauth/par" })
            let anyway = try await caller.run(
                "login", "bob.test", "--permission", LexiconPublisher.tree, "--no-check", "--no-browser",
                "--timeout",
                "1s")
            #expect(
                anyway.errors.contains("not known here: include:\(LexiconPublisher.tree)"), "\(anyway.errors)"
            )
            try await publisher.fault(nil)
            try await publisher.publish(LexiconPublisher.tree)
            let method = try await caller.run("login", "bob.test", "--permission", LexiconPublisher.tree)
            #expect(method.status == 64 && method.errors.contains("is no permission set"))
        }
    }
}
