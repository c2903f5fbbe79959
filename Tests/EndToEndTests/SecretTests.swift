import ATPCryptography
import ATProtoVault
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// Everything that the program leaves and says in the life of a vault, looked through for every secret that it had.
    @Suite("The secrets of a vault")
    struct SecretTests {
        /// What must not be seen.
        private struct Secrets {
            var texts: Set<String>
            var keys: Set<Data> = []
        }

        private static let passphrase = "correct horse & staple"
        private static let bundlePassphrase = "battery of the bundle"

        private let home: Home
        /// The files of the test itself, which are not searched.
        private let own: URL

        init() throws {
            home = try Home(try Sandbox(["--auto-approve"]), key: ["BSKYAUTH_PASSPHRASE": Self.passphrase])
            own = try home.folder("own")
            try Data(Self.bundlePassphrase.utf8).write(to: bundlePassphraseFile)
        }

        private var bundlePassphraseFile: URL { own.appending(path: "passphrase") }
        private var keyFile: URL { own.appending(path: "key") }
        /// The heads of the answers that the browser of the last login got.
        private var answers: URL { own.appending(path: "answers") }

        /// With every folder that programs are told to use below the home.
        private func environment() throws -> [String: String] {
            [
                "BSKYAUTH_BROWSER": "curl -sSL -D '\(answers.path)' -o /dev/null",
                "TMPDIR": try home.folder("temporary").path,
                "XDG_CONFIG_HOME": try home.folder("configuration").path,
                "XDG_DATA_HOME": try home.folder("data").path,
                "XDG_RUNTIME_DIR": try home.folder("runtime").path,
                "XDG_STATE_HOME": try home.folder("state").path,
            ]
        }

        /// A provider for OpenSSL that notes what it finds in the environment when it is loaded, and gives up.
        private static let provider = """
            #include <stdio.h>
            #include <stdlib.h>
            int OSSL_provider_init(const void *core, const void *in, const void **out, void **context) {
                FILE *file = fopen(getenv("NOTES"), "w");
                const char *found = getenv("BSKYAUTH_PASSPHRASE");
                if (file) fputs(found ? found : "nothing", file), fclose(file);
                return 0;
            }
            """

        @Test("are gone from the environment before OpenSSL loads what its configuration names")
        func providers() async throws {
            let library = own.appending(path: "spy.so")
            let (configuration, notes) = (own.appending(path: "openssl.cnf"), own.appending(path: "notes"))
            try await Program.compile(Self.provider, to: library)
            try Data(
                """
                openssl_conf = all
                [all]
                providers = providers
                [providers]
                spy = spy
                [spy]
                module = \(library.path)
                activate = 1
                """.utf8
            ).write(to: configuration)
            let login = try await home.run(["login", "alice.test"], environment: environment())
            try #require(login.status == 0, "\(login.errors)")
            let watched = ["OPENSSL_CONF": configuration.path, "NOTES": notes.path]
            // With a server and without one.
            for command in [["call", "com.atproto.server.getSession"], ["accounts"]] {
                _ = try await home.run(command, environment: watched)
                #expect(try String(contentsOf: notes, encoding: .utf8) == "nothing", "\(command)")
                try FileManager.default.removeItem(at: notes)
            }
        }

        private var life: [[String]] {
            [
                ["login", "alice.test", "--json"], ["vault", "add-key", "--new-key-file", keyFile.path],
                ["login", "bob.test"], ["accounts"], ["accounts", "--json"],
                ["accounts", "show", "bob.test"], ["call", "com.atproto.server.getSession"],
                ["switch", "bob.test"], ["refresh", "--force"],
                [
                    "call", "com.atproto.repo.createRecord", "collection=app.bsky.feed.post",
                    #"record:={"$type":"app.bsky.feed.post","text":"hello"}"#,
                ],
                ["switch", "-"], ["refresh", "--all", "--force", "--json"],
                ["vault", "status"], ["vault", "status", "--json"], ["vault", "verify"],
                [
                    "accounts", "export", "alice.test", "--copy", "--to",
                    home.directory.appending(path: "alice.bundle").path, "--bundle-passphrase-file",
                    bundlePassphraseFile.path,
                ],
                ["token", "--dpop", "GET", home.sandbox.address + "/xrpc/com.atproto.server.getSession"],
                ["logout", "bob.test", "--yes"],
            ]
        }

        @Test("are in none of its files and in nothing that is said; where they are planted, they are found")
        func wholeLife() async throws {
            let environment = try environment()
            var secrets = Secrets(texts: [Self.passphrase, Self.bundlePassphrase])
            var files: [String: Set<Data>] = [:]
            var said: [(command: [String], result: Program.Result)] = []
            for command in life {
                let result = try await home.run(command + ["--verbose"], environment: environment)
                try #require(result.status == 0, "\(command): \(result.errors)")
                said.append((command, result))
                try learn(&secrets)
                for (name, content) in try self.files(below: home.directory) {
                    files[name, default: []].insert(content)
                }
            }
            // Of each login a code, a state and a key, two pairs of tokens of the one account and three of the other.
            #expect(secrets.texts.count == 18)
            #expect(secrets.keys.count == 3)
            let scan = SecretScan(
                known: Array(secrets.texts), keys: Array(secrets.keys), harmless: [home.directory.path])

            for place in ["vault/vault.json", "vault/active", "alice.bundle"] { #expect(files[place] != nil) }
            for place in ["/session", "/session.copy", "/profile"] {
                #expect(files.keys.contains { $0.hasPrefix("vault/accounts/") && $0.hasSuffix(place) })
            }
            for place in ["sessions", "identities"] {
                #expect(files.keys.contains { $0.hasPrefix("cache/bskyauth/\(place)/") })
            }
            #expect(Self.leaks(scan, in: files) == [:])
            for (command, result) in said {
                #expect(scan.findings(in: result.errors).isEmpty, "\(command): \(result.errors)")
                // One command is there to print a token.
                let isPrinted = !scan.findings(inBytes: result.output).isEmpty
                #expect(isPrinted == (command[0] == "token"), "\(command): \(result.text)")
            }

            let (copy, planted) = try plant(secrets)
            let found = Self.leaks(scan, in: try self.files(below: copy).mapValues { [$0] })
            #expect(Set(found.keys) == planted)
        }

        /// Notes what the last login got through the browser, and what the vault has now.
        private func learn(_ secrets: inout Secrets) throws {
            let answers = try String(contentsOf: answers, encoding: .utf8)
            for match in answers.matches(of: /[?&](?:code|state)=([^&\s]+)/) {
                secrets.texts.insert(try #require(String(match.output.1).removingPercentEncoding))
            }
            guard FileManager.default.fileExists(atPath: keyFile.path) else { return }
            secrets.keys.insert(try Data(contentsOf: keyFile))
            let vault = try CredentialVault.open(at: home.vault.path, key: .keyFile(path: keyFile.path))
            for id in try vault.accounts() {
                let session = try Self.object(Data(try vault.read(.session, of: id).content.bytes))
                for name in ["access_token", "refresh_token"] {
                    secrets.texts.insert(try #require(session[name] as? String))
                }
                let key = try Self.object(Data(try #require(session["dpop_key"] as? String).utf8))
                let scalar = try #require(key["d"] as? String)
                secrets.texts.insert(scalar)
                secrets.keys.insert(Data(try #require(Base64URL.decode(scalar))))
            }
        }

        private static func object(_ json: Data) throws -> [String: Any] {
            try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        }

        /// Every file below a folder, but for those of the test.
        private func files(below folder: URL) throws -> [String: Data] {
            var files: [String: Data] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            where !name.hasPrefix("own/") {
                let file = folder.appending(path: name)
                if try file.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true {
                    files[name] = try Data(contentsOf: file)
                }
            }
            return files
        }

        /// What is found in which files; what they are called is looked through as well.
        private static func leaks(_ scan: SecretScan, in files: [String: Set<Data>]) -> [String: [String]] {
            var leaks: [String: [String]] = [:]
            for (name, contents) in files {
                let findings = contents.flatMap { scan.findings(inBytes: Data("\(name)\n".utf8) + $0) }
                if !findings.isEmpty { leaks[name] = findings }
            }
            return leaks
        }

        /// Copies the vault, and puts each secret there into a file: as it is, and encoded.
        ///
        /// - Returns: the copy, and the names of those files.
        private func plant(_ secrets: Secrets) throws -> (copy: URL, planted: Set<String>) {
            let copy = home.directory.appending(path: "copy")
            try FileManager.default.copyItem(at: home.vault, to: copy)
            let forms = secrets.texts.flatMap { text -> [Data] in
                [
                    Data(text.utf8), Data(#"{"secret":"\#(text)"}"#.utf8).base64EncodedData(),
                    Data(text.utf8.map { String(format: "%02x", $0) }.joined().utf8),
                ]
            }
            var planted: Set<String> = []
            for (number, form) in (forms + Array(secrets.keys)).enumerated() {
                let name = "accounts/planted-\(number)"
                try (Data([0xff, 0x00]) + form + Data([0x80])).write(to: copy.appending(path: name))
                planted.insert(name)
            }
            // And one into a file that is sealed.
            let sessions = try files(below: copy).filter { $0.key.hasSuffix("/session") }
            let session = try #require(sessions.first)
            try (session.value + Data(try #require(secrets.texts.first).utf8))
                .write(to: copy.appending(path: session.key))
            planted.insert(session.key)
            return (copy, planted)
        }
    }
}
