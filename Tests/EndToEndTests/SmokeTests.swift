import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// The everyday commands, once each.
    @Suite("Smoke")
    struct SmokeTests {
        @Test("the commands of every day work") func everyday() async throws {
            let sandbox = try Sandbox()
            let home = try Home(sandbox)
            let alice = try await home.logIn("alice.test")
            try await home.logIn("bob.test")
            #expect(try await home.accounts().count == 2)
            try await home.succeed("switch", "bob.test")
            let bob = try await home.succeed("call", "com.atproto.server.getSession")
            #expect(bob.json?["handle"] as? String == "bob.test")
            try await home.succeed("refresh", "--all", "--force")
            let call = try await home.succeed("call", "-a", alice.did, "com.atproto.server.getSession")
            #expect(call.json?["did"] as? String == alice.did)
            try await home.succeed("vault", "verify")
            try await home.succeed("logout", "--all", "--yes")
            #expect(try await home.accounts().isEmpty)
        }

        @Test(
            "a library that was loaded before the program and sets variables does not take its arguments away",
            .enabled(if: Later.isPossible, "there is no faketime here"))
        func preloaded() async throws {
            // The tests' own programs would be preloaded first, and set the variable for their children.
            let variables = Later.twoMinutes.map { "\($0)=\($1)" }
            // Whether Swift's own arguments get lost depends on the place of the environment.
            for _ in 1...10 {
                let version = try await Program.run(
                    "/usr/bin/env", ["-i"] + variables + [Paths.program, "--version"], environment: [:],
                    directory: FileManager.default.temporaryDirectory)
                let text = String(decoding: version.output, as: UTF8.self)
                #expect(version.status == 0 && !text.contains("OVERVIEW"), "\(text)")
            }
        }

        @Test("a passphrase opens the vault, and another one does not") func passphrase() async throws {
            let home = try Home(try Sandbox(), key: ["BSKYAUTH_PASSPHRASE": "warhorse"])
            try await home.logIn("alice.test")
            try await home.succeed("call", "com.atproto.server.getSession")
            let refused = try await home.run("accounts", environment: ["BSKYAUTH_PASSPHRASE": "donkey"])
            #expect(refused.status == 5, "\(refused.errors)")
        }

        @Test("an account moves to another vault in a bundle") func bundle() async throws {
            let sandbox = try Sandbox()
            let (here, there) = (try Home(sandbox), try Home(sandbox))
            let bundle = here.directory.appending(path: "alice.bundle").path
            let key = try here.recipientKey()
            let alice = try await here.logIn("alice.test")
            try await here.succeed("accounts", "export", "alice.test", "--to", bundle, "--recipient-key", key)
            try await there.succeed("accounts", "import", bundle, "--recipient-key", key)
            let call = try await there.succeed("call", "com.atproto.server.getSession")
            #expect(call.json?["did"] as? String == alice.did)
        }

        @Test("an OpenSSL configuration that excludes an algorithm, or is broken, has an error of its own")
        func opensslConfiguration() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let configuration = home.directory.appending(path: "openssl.cnf")
            let fips = """
                openssl_conf = all
                [all]
                alg_section = algorithms
                [algorithms]
                default_properties = fips=yes

                """
            for (content, hint) in [
                (fips, "openssl list -providers"), ("[all\n= no name\n", "openssl version -d"),
            ] {
                try Data(content.utf8).write(to: configuration)
                let variables = ["OPENSSL_CONF": configuration.path]
                for command in [
                    ["call", "com.atproto.server.getSession"], ["refresh"], ["accounts"], ["switch", "-"],
                    ["vault", "verify"], ["vault", "status"],
                ] {
                    let result = try await home.run(command + ["--json"], environment: variables)
                    let error = result.errorLine
                    #expect(
                        result.status == 1 && error?.code == "openssl_unusable",
                        "\(command): \(result.errors)")
                    #expect(error?.hint == hint)
                }
                for command in [["help", "call"], ["accounts", "unpin"], ["completion", "bash"]] {
                    let result = try await home.run(command, environment: variables)
                    #expect(result.status == 0, "\(command): \(result.errors)")
                }
            }
            for file in ["/dev/null", home.directory.appending(path: "missing.cnf").path] {
                let variables = ["OPENSSL_CONF": file]
                try await home.succeed("accounts", environment: variables)
                try await home.succeed("call", "com.atproto.server.getSession", environment: variables)
            }
        }

        @Test(
            "a program without PostgreSQL names the package that has it, and keeps the vault",
            .enabled(if: Paths.isInstalled, "a debug build has PostgreSQL"))
        func postgres() async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let before = try home.vaultContent()
            let refused = try await home.run(
                "vault", "share", "--to", "postgres://bots@127.0.0.1/bots", "--json")
            #expect(refused.status == 64 && refused.errorLine?.code == "store_url", "\(refused.errors)")
            #expect(refused.errors.contains("bskyauth-postgres"), "\(refused.errors)")
            #expect(try home.vaultContent() == before)
        }

        @Test(
            "the program loads libcurl, libcrypto and the system's libraries, and nothing else",
            .enabled(if: Paths.isInstalled, "a debug build loads the Swift runtime too"))
        func libraries() async throws {
            let result = try await Program.run(
                "/usr/bin/env", ["readelf", "-d", Paths.program], environment: Program.inheritedEnvironment)
            #expect(result.status == 0)
            let needed = result.text.split(separator: "\n").filter { $0.contains("(NEEDED)") }.compactMap {
                $0.split(whereSeparator: { "[]".contains($0) }).dropFirst().first.map(String.init)
            }
            let known = ["libcurl.so.", "libcrypto.so.", "libc.so.", "libm.so.", "libresolv.so.", "ld-linux"]
            for library in needed {
                #expect(known.contains { library.hasPrefix($0) }, "\(library)")
            }
            for library in known.prefix(2) { #expect(needed.contains { $0.hasPrefix(library) }) }
        }
    }
}
