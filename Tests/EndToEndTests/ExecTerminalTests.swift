import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Testing

extension EndToEnd {
    /// Programs that have the terminal to themselves, as without exec.
    @Suite("exec at a terminal")
    struct ExecTerminalTests {
        private let home: Home

        init() async throws {
            home = try Home(try Sandbox())
            try await home.logIn("alice.test")
        }

        private static let (controlC, controlD, controlZ) = ("\u{03}", "\u{04}", "\u{1a}")
        private static let controlBackslash = "\u{1c}"

        @Test(
            "Ctrl-C and Ctrl-\\ end the program, and its end is the end of exec",
            arguments: [("\u{03}", 130), ("\u{1c}", 131)])
        func keys(_ key: String, _ status: Int) async throws {
            let ended = try await home.runAtTerminal(
                "exec", "--", "sh", "-c", "ulimit -c 0; echo ready; exec cat",
                steps: [.press(key, at: "ready\r\n")])
            #expect(ended.status.map(Int.init) == status && ended.restored, "\(ended.screen)")
        }

        @Test("a program that lives on after Ctrl-C ends when it wants")
        func handled() async throws {
            let program = "trap 'echo no' INT QUIT; echo ready; read line; read line; exit 6"
            let ended = try await home.runAtTerminal(
                "exec", "--", "bash", "-c", program,
                steps: [
                    .press(Self.controlC, at: "ready\r\n"), .press(Self.controlBackslash, at: "no\r\n"),
                    .press("a\nb\n", at: "no\r\n"),
                ])
            #expect(ended.status == 6 && ended.stepsLeft == 0 && ended.restored, "\(ended.screen)")
        }

        @Test("in a shell, Ctrl-C ends a job and not the shell, Ctrl-Z stops a job, and fg continues it")
        func shell() async throws {
            let prompt = "ask> "
            let ended = try await home.runAtTerminal(
                Paths.program, ["exec", "--", "bash", "--norc", "--noprofile", "--noediting", "-i"],
                steps: [
                    .type("sh -c 'echo up$((1+1)); exec cat'", at: prompt),
                    .press(Self.controlC, at: "up2\r\n"),
                    .type("echo first: $?", at: prompt),
                    .type("sh -c 'echo up$((1+2)); exec sed -u s/^/got:/'", at: "first: 130"),
                    .press(Self.controlZ, at: "up3\r\n"),
                    .type("echo second: $?", at: prompt),
                    .type("fg", at: "second: 148"),
                    .type("hey", at: "exec sed"),
                    .press(Self.controlC, at: "got:hey\r\n"),
                    .type("exit 5", at: prompt),
                ], environment: ["PS1": prompt])
            #expect(ended.status == 5 && ended.stepsLeft == 0 && ended.restored, "\(ended.screen)")
        }

        /// A shell with job control, to which exec is a job that is stopped twice.
        private static let jobs = """
            set -m
            "$0" exec -- sh -c "$1"; echo "first: $?"
            fg; echo "second: $?"
            fg; echo "last: $?"
            """

        private static let ask = """
            curl -sS -H "Authorization: Bearer $BSKYAUTH_PROXY_SECRET" \
            "$BSKYAUTH_PROXY_URL/xrpc/com.atproto.server.getSession"
            """

        @Test("Ctrl-Z stops exec with its program, and fg continues both")
        func stopped() async throws {
            let shell = try await home.runAtTerminal(
                "/bin/bash", ["-c", Self.jobs, Paths.program, "echo ready; sed -u s/^/got:/; \(Self.ask)"],
                steps: [
                    .press(Self.controlZ, at: "ready\r\n"),
                    .type("one", at: "first: 148"),
                    .press(Self.controlZ, at: "got:one\r\n"),
                    .type("two", at: "second: 148"),
                    .press(Self.controlD, at: "got:two\r\n"),
                ])
            #expect(shell.stepsLeft == 0 && shell.screen.contains("last: 0"), "\(shell.screen)")
            #expect(shell.screen.contains(#""handle":"alice.test""#) && shell.restored, "\(shell.screen)")
        }

        @Test("a program that stops by itself stops exec, and fg continues both")
        func stopsItself() async throws {
            let shell = try await home.runAtTerminal(
                "/bin/bash",
                ["-c", Self.jobs, Paths.program, "kill -STOP $$; kill -STOP $$; \(Self.ask); exit 7"],
                steps: [])
            for text in ["first: 147", "second: 147", #""handle":"alice.test""#, "last: 7"] {
                #expect(shell.screen.contains(text), "\(shell.screen)")
            }
            #expect(shell.restored)
        }

        @Test("a signal that continues exec alone continues its program")
        func continuedAlone() async throws {
            let script = """
                set -m
                "$0" exec -- sh -c 'kill -STOP $$; echo went on; exit 7'; echo "first: $?"
                kill -CONT "$(jobs -p)"; wait -f %1; echo "last: $?"
                """
            let shell = try await home.runAtTerminal("/bin/bash", ["-c", script, Paths.program], steps: [])
            for text in ["first: 147", "went on", "last: 7"] {
                #expect(shell.screen.contains(text), "\(shell.screen)")
            }
        }

        @Test("a pager gets its keys, and leaves the terminal as it was")
        func pager() async throws {
            let shown = try await home.runAtTerminal(
                Paths.program, ["exec", "--", "sh", "-c", "seq 60 | less"],
                steps: [.press(" ", at: "next page"), .press("q", at: "next page")],
                environment: ["TERM": "xterm", "LESS": "FRXPsnext page$"])
            #expect(shown.status == 0 && shown.stepsLeft == 0 && shown.restored, "\(shown.screen)")
            #expect(shown.displays[1].contains("40"), "\(shown.displays)")
        }
    }
}
