import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

extension EndToEnd {
    @Suite("Secrets that a system mounts", .enabled(if: geteuid() == 0, "needs root"))
    struct MountedSecretTests {
        /// A key file in a place, which a script in a mount namespace of its own makes from `$key`. `$real` is a folder on a disk.
        struct Place: Sendable, CustomStringConvertible {
            let description: String
            let script: String
            /// The path of the key.
            var key = "/mnt/s/key"
            /// Words of the refusal; nil if the key is taken.
            var refusal: String?
        }

        private static let kubernetes = """
            mount -t tmpfs -o mode=1777 none /mnt/s; mkdir /mnt/s/..1; cp $key /mnt/s/..1/key; ln -s ..1 /mnt/s/..data
            ln -s ..data/key /mnt/s/key; chmod 0444 /mnt/s/..1/key
            """
        private static let readOnly = "\nmount -o remount,ro /mnt/s"

        static let places = [
            Place(description: "a secret of Kubernetes", script: kubernetes + readOnly),
            Place(
                description: "one for the group",
                script: kubernetes + "\nchmod 0440 /mnt/s/..1/key" + readOnly),
            Place(
                description: "a folder of secrets in memory",
                script: "mount -t tmpfs -o mode=755 none /mnt/s; cp $key /mnt/s/key; chmod 444 /mnt/s/key"
                    + readOnly),
            Place(
                description: "a bound file, as of Docker and Compose",
                script:
                    "cp $key $real/key; chmod 444 $real/key; touch /mnt/s/key; mount --bind $real/key /mnt/s/key"
            ),
            Place(
                description: "a link to a private file",
                script: "cp $key /mnt/private; chmod 600 /mnt/private; ln -s ../private /mnt/s/key"),
            Place(
                description: "a folder of Kubernetes that can be written", script: kubernetes,
                refusal: "others can write in /mnt/s, which leads to it"),
            Place(
                description: "a file on a disk", script: "cp $key /mnt/s/key; chmod 444 /mnt/s/key",
                refusal: "others can read it (mode 444), so they may know the key"),
            Place(
                description: "a folder of a disk, bound read-only",
                script: """
                    cp $key $real/key; chmod 444 $real/key; mount --bind $real /mnt/s; mount -o remount,ro,bind /mnt/s
                    """, refusal: "others can read it, and it is not mounted as a secret"),
            Place(
                description: "a file of another user",
                script: kubernetes + "\nchown 1234 /mnt/s/..1/key" + readOnly,
                refusal: "it belongs to another user"),
            Place(
                description: "a file that others can write",
                script: kubernetes + "\nchmod 0464 /mnt/s/..1/key" + readOnly,
                refusal: "others can change it"),
            Place(
                description: "a link of another user",
                script: kubernetes + "\nchown -h 1234 /mnt/s/..data" + readOnly,
                refusal: "/mnt/s/..data, which leads to it, belongs to another user"),
            Place(
                description: "a folder of another user on the way",
                script:
                    "chown 1234 /mnt/s; cp $key /mnt/private; chmod 600 /mnt/private; ln -s ../private /mnt/s/key",
                refusal: "/mnt/s, which leads to it, belongs to another user"),
            Place(
                description: "a link that leads to itself", script: "ln -s key /mnt/s/key",
                refusal: "symbolic links lead to it in a circle"),
            Place(
                description: "a file on a disk that others can write",
                script: "cp $key /mnt/s/key; chmod 666 /mnt/s/key",
                refusal: "others can change it (mode 666), so they may know the key or have replaced it"),
        ]

        @Test("are key files and keys of bundles, unless others can read or replace them", arguments: places)
        func key(place: Place) async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let recipient = #""$bskyauth" accounts export alice.test --copy --to - --recipient-key"#
            for command in [#""$bskyauth" accounts --json --key-file"#, recipient] {
                let result = try await run("\(command) \(place.key)", in: place, home)
                guard let refusal = place.refusal else {
                    #expect(result.status == 0, "\(command): \(result.errors)")
                    continue
                }
                #expect(result.status == 7 && result.errors.contains(refusal), "\(command): \(result.errors)")
                // The key of a bundle is no key of the vault.
                #expect(command != recipient || !result.errors.contains("vault add-key"), "\(result.errors)")
            }
        }

        @Test(
            "can be copied as the hint says, where they are not taken",
            arguments: places.filter { $0.refusal != nil })
        func hint(place: Place) async throws {
            let home = try Home(try Sandbox())
            try await home.logIn("alice.test")
            let refused = try await run(
                "\"$bskyauth\" accounts --json --key-file \(place.key)", in: place, home)
            let hint = try #require(refused.errorLine?.hint)
            // What others may have written is shown, and never used.
            guard hint.contains("install") else {
                #expect(hint.hasPrefix("ls -l") || hint.hasPrefix("chmod"), "\(hint)")
                #expect(!refused.errors.contains("copy"), "\(refused.errors)")
                #expect(place.refusal?.contains("change") == false || hint.hasPrefix("ls -l"), "\(hint)")
                if hint.hasPrefix("ls") { return }
                let result = try await run(
                    "\(hint); \"$bskyauth\" accounts --key-file \(place.key)", in: place, home)
                return #expect(result.status == 0, "\(hint): \(result.errors)")
            }
            let key = "\"${XDG_RUNTIME_DIR:-$HOME}\"/bskyauth-key"
            // A second time, the copy that is there stays.
            let then = "{ \(hint); }; { \(hint); }; \"$bskyauth\" accounts --key-file \(key)"
            #expect(place.refusal?.contains("change") == false, "\(hint)")
            let result = try await run(then, in: place, home)
            #expect(result.status == 0, "\(hint): \(result.errors)")
        }

        @Test("are passphrase files without a warning") func passphrase() async throws {
            let home = try Home(try Sandbox(), key: [:])
            let file = home.directory.appending(path: "key")
            try Data("tr0ub4dor & 3\n".utf8).write(to: file)
            for place in Self.places.prefix(8)
            where place.refusal == nil || place.description.contains("disk") {
                let result = try await run(
                    "\"$bskyauth\" login alice.test --home $HOME/vault --passphrase-file \(place.key)",
                    in: place, home)
                #expect(result.status == 0, "\(place): \(result.errors)")
                #expect(
                    result.errors.contains("warning") == (place.refusal != nil), "\(place): \(result.errors)")
            }
        }

        private func run(_ command: String, in place: Place, _ home: Home) async throws -> Program.Result {
            let real = try home.folder("real-\(UUID().uuidString)")
            let script = """
                mount --make-rprivate /; mount -t tmpfs -o mode=755 none /mnt; mkdir -m 755 /mnt/s
                key=$HOME/key real='\(real.path)'
                \(place.script)
                \(command)
                """
            let more = ["bskyauth": Paths.program]
            return try await Program.run(
                "/usr/bin/unshare", ["-m", "bash", "-euc", script],
                environment: home.environment.merging(more) { $1 }, directory: home.directory)
        }
    }
}
