import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    /// `call -o`, above all over a file that is worth something.
    @Suite("The file of call -o")
    struct CallOutputTests {
        private static let nsid = "com.atproto.server.getSession"
        private static let earlier = Data("the last good answer\n".utf8)
        private static let cut =
            #"[{"match":{"path":"/xrpc/\#(nsid)"},"action":{"truncate":20,"promise_all":true}}]"#

        private let sandbox: Sandbox
        private let home: Home
        /// A folder with nothing but the file.
        private let folder: URL
        private let file: URL

        init() async throws {
            sandbox = try Sandbox()
            home = try Home(sandbox)
            try await home.logIn("alice.test")
            // The server's nonce is known from here on, so the next answer is the real one.
            try await home.succeed("call", Self.nsid)
            folder = try home.folder("backups")
            file = folder.appending(path: "answer.json")
            try Self.earlier.write(to: file)
        }

        /// Runs a command of the shell, in which `$bskyauth` is the program.
        private func shell(_ script: String) async throws -> Program.Result {
            try await Program.run(
                "/bin/sh", ["-euc", script],
                environment: home.environment.merging(["bskyauth": Paths.program]) { $1 }, directory: folder)
        }

        /// Whether a process has a file of the folder open.
        private func hasOpenFile(_ process: Program.Running) throws -> Bool {
            let manager = FileManager.default
            let descriptors = "/proc/\(process.processIdentifier)/fd"
            return try manager.contentsOfDirectory(atPath: descriptors).contains { name in
                // It may be closed by now.
                let target = try? manager.destinationOfSymbolicLink(atPath: "\(descriptors)/\(name)")
                return target?.contains("/backups/") == true
            }
        }

        private func names() throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        }

        private func mode(_ file: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
        }

        private func hasAnswer(_ file: URL) throws -> Bool {
            let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any]
            return json?["handle"] as? String == "alice.test"
        }

        @Test("keeps its content if the connection breaks, and nothing is left beside it")
        func broken() async throws {
            try await sandbox.setFaults(Self.cut)
            for name in ["answer.json", "new.json"] {
                let call = try await home.run(
                    "call", Self.nsid, "-o", folder.appending(path: name).path, "--json")
                #expect(call.status == 12 && call.errorLine?.code == "connection_lost", "\(call.errors)")
            }
            #expect(try Data(contentsOf: file) == Self.earlier)
            #expect(try names() == ["answer.json"])
            try await sandbox.setFaults("[]")
            try await home.succeed("call", Self.nsid, "-o", file.path)
            #expect(try hasAnswer(file))
            #expect(try names() == ["answer.json"])
        }

        @Test("keeps its content if the command is interrupted or killed", arguments: [SIGINT, SIGKILL])
        func interrupted(signal: Int32) async throws {
            try await sandbox.setFaults(
                #"[{"match":{"path":"/xrpc/\#(Self.nsid)"},"action":{"drip":{"bytes":1,"every":"1s"}}}]"#)
            let call = try home.start("call", Self.nsid, "-o", file.path)
            // The new content is in an open file of the folder, under whatever name.
            while try !hasOpenFile(call), call.isRunning { try await Task.sleep(for: .milliseconds(5)) }
            call.signal(signal)
            let result = try await call.result()
            #expect(result.status != 0, "\(result.errors)")
            #expect(try Data(contentsOf: file) == Self.earlier)
            #expect(try names() == ["answer.json"])
        }

        @Test("keeps its content if a page fails, and then there is no cursor to resume with")
        func pages() async throws {
            for number in 1...3 {
                try await home.succeed(
                    "call", "com.atproto.repo.putRecord", "collection=a.b.c", "rkey=r\(number)", "record:={}")
            }
            let list = [
                "call", "com.atproto.repo.listRecords", "repo=alice.test", "collection=a.b.c", "limit=2",
                "--json",
            ]
            let path = "/xrpc/com.atproto.repo.listRecords"
            let second = #"[{"match":{"path":"\#(path)"},"skip":1,"action":{"respond":{"status":503}}}]"#
            for line in ["--items", "--paginate"] {
                try await sandbox.setFaults(second)
                let failed = try await home.run(list + [line, "-o", file.path])
                #expect(failed.status == 11 && failed.errorLine?.cursor == nil, "\(failed.errors)")
                #expect(try Data(contentsOf: file) == Self.earlier)
                try await sandbox.setFaults(second)
                let direct = try await home.run(list + [line, "-o", "/dev/stdout"])
                #expect(direct.status == 11 && direct.errorLine?.cursor != nil && !direct.output.isEmpty)
                try await sandbox.setFaults(
                    #"[{"match":{"path":"\#(path)"},"action":{"amend":{"set":{"/cursor":"r3"}}}}]"#)
                let circle = try await home.run(list + [line, "-o", file.path])
                #expect(circle.status == 1 && circle.errors.contains("the file was not written"))
                #expect(try Data(contentsOf: file) == Self.earlier)
            }
            #expect(try names() == ["answer.json"])
        }

        @Test("is replaced where a symbolic link leads, and the link stays")
        func links() async throws {
            let manager = FileManager.default
            let other = try home.folder("other")
            let real = other.appending(path: "real.json")
            try Self.earlier.write(to: real)
            for (name, target) in [
                ("link", "../other/real.json"), ("chain", "link"), ("new", "../other/made.json"),
            ] {
                try manager.createSymbolicLink(
                    atPath: folder.appending(path: name).path, withDestinationPath: target)
            }
            try await sandbox.setFaults(Self.cut)
            for name in ["chain", "new"] {
                #expect(try await home.run("call", Self.nsid, "-o", name, in: folder).status == 12)
            }
            #expect(try Data(contentsOf: real) == Self.earlier)
            #expect(try manager.contentsOfDirectory(atPath: other.path) == ["real.json"])
            try await sandbox.setFaults("[]")
            for name in ["chain", "new"] {
                #expect(try await home.run("call", Self.nsid, "-o", name, in: folder).status == 0)
            }
            #expect(try hasAnswer(real) && hasAnswer(other.appending(path: "made.json")))
            #expect(try manager.destinationOfSymbolicLink(atPath: folder.path + "/chain") == "link")
            #expect(
                try manager.destinationOfSymbolicLink(atPath: folder.path + "/link") == "../other/real.json")
            #expect(
                try manager.contentsOfDirectory(atPath: other.path).sorted() == ["made.json", "real.json"])
        }

        @Test("keeps its mode, and a new one has that of the umask")
        func modes() async throws {
            for mode in [0o600, 0o644, 0o660] {
                try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file.path)
                try await home.succeed("call", Self.nsid, "-o", file.path)
                #expect(try self.mode(file) == mode)
            }
            let result = try await shell(
                #"umask 027; "$bskyauth" call \#(Self.nsid) -o a; umask 0; "$bskyauth" call \#(Self.nsid) -o b"#
            )
            #expect(result.status == 0, "\(result.errors)")
            #expect(try mode(folder.appending(path: "a")) == 0o640)
            #expect(try mode(folder.appending(path: "b")) == 0o666)
        }

        @Test("keeps its owner", .enabled(if: geteuid() == 0, "needs root"))
        func owner() async throws {
            try #require(unsafe chown(file.path, 65534, 65534) == 0)
            try await home.succeed("call", Self.nsid, "-o", file.path)
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
            #expect(
                attributes[.ownerAccountID] as? Int == 65534
                    && attributes[.groupOwnerAccountID] as? Int == 65534)
            #expect(try hasAnswer(file))
        }

        @Test("is written after the whole answer has come, if its folder takes no new file")
        func lockedFolder() async throws {
            try FileManager.default.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.path)
            defer {
                try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.path)
            }
            // Root may write everywhere, unless it gives that up.
            let plain = geteuid() == 0 ? "setpriv --bounding-set -dac_override --inh-caps -dac_override" : ""
            let call = #"\#(plain) "$bskyauth" call \#(Self.nsid) -o"#
            try await sandbox.setFaults(Self.cut)
            #expect(try await shell("\(call) answer.json").status == 12)
            #expect(try Data(contentsOf: file) == Self.earlier)
            try await sandbox.setFaults("[]")
            let result = try await shell("\(call) answer.json")
            #expect(result.status == 0, "\(result.errors)")
            #expect(try hasAnswer(file))
            let requests = try await sandbox.requests {
                let new = try await shell("\(call) new.json")
                #expect(new.status == 1 && new.errors.contains("can't be written"), "\(new.errors)")
            }
            #expect(requests.isEmpty)
            #expect(try names() == ["answer.json"])
        }

        @Test(
            "is written after the whole answer has come, if it is mounted",
            .enabled(if: geteuid() == 0, "needs root"))
        func mounted() async throws {
            let real = home.directory.appending(path: "real.json")
            try Self.earlier.write(to: real)
            let script =
                #"mount --bind ../real.json answer.json; "$bskyauth" call \#(Self.nsid) -o answer.json; ls -A"#
            let call = #"unshare -m sh -euc '\#(script)'"#
            try await sandbox.setFaults(Self.cut)
            #expect(try await shell(call).status == 12)
            #expect(try Data(contentsOf: real) == Self.earlier)
            try await sandbox.setFaults("[]")
            let result = try await shell(call)
            #expect(result.status == 0 && result.text == "answer.json\n", "\(result.errors)")
            #expect(try hasAnswer(real))
            #expect(try Data(contentsOf: file) == Self.earlier)
        }

        @Test("may be a pipe, or a descriptor that is open: these are written as they are")
        func pipes() async throws {
            let call = #""$bskyauth" call \#(Self.nsid) -o"#
            let result = try await shell(
                """
                mkfifo pipe; cat pipe > a & \(call) pipe; wait; test -p pipe; rm pipe
                \(call) /dev/stdout | cat > b
                { echo first; \(call) /dev/fd/3; } 3> c > /dev/null
                { \(call) /dev/stdout; echo; } >> d
                \(call) /proc/self/fd/4 4> e
                """)
            #expect(result.status == 0, "\(result.errors)")
            for name in ["a", "b", "c", "d", "e"] {
                #expect(try hasAnswer(folder.appending(path: name)), "\(name)")
            }
            #expect(try names() == ["a", "answer.json", "b", "c", "d", "e"])
        }
    }
}
