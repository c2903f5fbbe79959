import BskyAuthCovers
import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("Picking an account")
    struct PickerTests {
        private static let capable = ["TERM": "xterm-256color"]
        private static let keys = "Esc cancels"
        private static let number = "Enter to cancel): "

        private struct World {
            let home: Home
            /// In the order of the list.
            let accounts: [Account]

            /// Three accounts, of which alice is active; bob has a wide label.
            init() async throws {
                home = try Home(try Sandbox(accounts: ["alice.test", "bob.test", "carol.test"]))
                try await home.logIn("alice.test", "--label", "work")
                try await home.logIn("bob.test", "--label", "仕事")
                try await home.logIn("carol.test")
                accounts = try await home.accounts()
            }

            /// The number of an account in the list.
            func number(_ handle: String) throws -> Int {
                try #require(accounts.firstIndex { $0.handle == handle }) + 1
            }

            /// The handle of the account that is some lines below alice's, or above.
            func neighbour(_ distance: Int) throws -> String? {
                accounts[(try number("alice.test") + 2 + distance) % 3].handle
            }

            func pick(
                _ steps: [TerminalStep], columns: Int = 80, environment: [String: String] = capable
            ) async throws -> TerminalResult {
                let result = try await home.runAtTerminal(
                    "switch", "--quiet", steps: steps, columns: columns, environment: environment)
                #expect(result.stepsLeft == 0 && result.restored, "\(result.screen)")
                return result
            }
        }

        @Test(
            "the accounts are listed with the active one marked, and nothing of it is left afterwards",
            .covers("K3"))
        func listed() async throws {
            let world = try await World()
            let names = ["alice.test": "@alice.test (work)", "bob.test": "@bob.test (仕事)"]
            let picked = try await world.pick([.press("\r", at: Self.keys)])
            #expect(picked.status == 0 && picked.echoed == [false])
            let lines = picked.displays[0]
            #expect(lines.count == 5 && lines.first == "which account should be active?")
            for (line, account) in zip(lines.dropFirst(), world.accounts) {
                let handle = try #require(account.handle)
                let number = try world.number(handle)
                let name = names[handle] ?? "@\(handle)"
                let start = account.active ? "> \(number)  *  " : "  \(number)     "
                #expect(line.hasPrefix(start + name))
                // The last column begins where it does in the other lines, wide label or not.
                let column = line.firstRange(of: "127.0.0.1")?.lowerBound
                #expect(column.map { line[..<$0].count + (handle == "bob.test" ? 2 : 0) } == 30, "\(line)")
            }
            #expect(picked.displays.last == [])
        }

        @Test(
            "arrows, j and k lead to the neighbours",
            arguments: [("j\r", 1), ("k\r", -1), ("\u{1b}[B\r", 1), ("\u{1b}OA\r", -1), ("jjj\r", 0)])
        func moving(keys: String, distance: Int) async throws {
            let world = try await World()
            let picked = try await world.pick([.press(keys, at: Self.keys)])
            #expect(picked.status == 0)
            #expect(try await world.home.active()?.handle == world.neighbour(distance))
        }

        @Test(
            "numbers and a search lead to an account",
            arguments: ["number", "/ROL", "/:/\u{7f}\u{7f}carol"])
        func naming(keys: String) async throws {
            let world = try await World()
            let keys = keys == "number" ? String(try world.number("carol.test")) : keys
            let picked = try await world.pick([.press(keys + "\r", at: Self.keys)])
            #expect(picked.status == 0)
            #expect(try await world.home.active()?.handle == "carol.test")
        }

        @Test("Escape and Ctrl-D leave everything as it is", arguments: ["\u{1b}", "\u{4}"])
        func left(key: String) async throws {
            let world = try await World()
            let picked = try await world.pick([.press(key, at: Self.keys)])
            #expect(picked.status == 2, "\(picked.screen)")
            #expect(try await world.home.active()?.handle == "alice.test")
        }

        @Test("Ctrl-C ends by SIGINT with the terminal as it was", .covers("K3"))
        func interrupted() async throws {
            let world = try await World()
            let picked = try await world.pick([.press("j", at: Self.keys), .interrupt(at: Self.keys)])
            #expect(picked.signal == SIGINT)
            #expect(picked.displays.last == [])
            #expect(try await world.home.active()?.handle == "alice.test")
        }

        @Test("Ctrl-Z where nobody could bring it back shows the list again")
        func stopped() async throws {
            let world = try await World()
            let picked = try await world.pick([
                .press("\u{1a}", at: Self.keys), .press("j\r", at: Self.keys),
            ])
            #expect(picked.status == 0 && picked.displays[0] == picked.displays[1])
            #expect(try await world.home.active()?.handle == world.neighbour(1))
        }

        @Test("no line is longer than the terminal is wide", arguments: [20, 33, 40, 200])
        func widths(columns: Int) async throws {
            let world = try await World()
            let hint = columns < 60 ? "arrow keys" : Self.keys
            let picked = try await world.pick(
                [.press("j", at: hint), .press("\r", at: hint)], columns: columns)
            #expect(picked.status == 0)
            // One that wrapped would leave a part of itself behind when the next is drawn.
            let shown = picked.displays[1]
            #expect(shown.filter { $0.contains("@") }.count == 3, "\(shown)")
            #expect(shown.filter { $0.hasPrefix(">") }.count == 1)
            #expect(picked.displays[2] == [])
        }

        @Test("a terminal that only prints is asked for a number", arguments: ["dumb", ""])
        func numbers(terminal: String) async throws {
            let world = try await World()
            let picked = try await world.pick(
                [
                    .type("4", at: Self.number),
                    .type("x\u{7}", at: Self.number),
                    .type(" \(try world.number("bob.test"))", at: Self.number),
                ], environment: ["TERM": terminal])
            #expect(picked.status == 0 && !picked.screen.contains("\u{1b}"))
            #expect(picked.screen.contains("\"4\" is not one of the numbers"))
            #expect(try await world.home.active()?.handle == "bob.test")
            let left = try await world.pick([.type("", at: Self.number)], environment: ["TERM": terminal])
            #expect(left.status == 2)
            let interrupted = try await world.pick(
                [.interrupt(at: Self.number)], environment: ["TERM": terminal])
            #expect(interrupted.signal == SIGINT)
        }

        @Test("nobody is asked without a terminal, with --no-input, or under CI", .covers("K3"))
        func unasked() async throws {
            let world = try await World()
            let refused = try await world.home.run("switch", environment: ["BSKYAUTH_NO_INPUT": "0"])
            #expect(refused.status == 64 && refused.errors.contains("-a work"))
            let flag = try await world.home.runAtTerminal(
                "switch", "--no-input", steps: [], environment: Self.capable)
            #expect(flag.status == 64)
            let ci = try await world.pick([], environment: Self.capable.merging(["CI": "true"]) { $1 })
            #expect(ci.status == 64)
        }

        @Test("the way back leads to the account before, wherever it was picked")
        func back() async throws {
            let world = try await World()
            _ = try await world.pick([.press("/carol\r", at: Self.keys)])
            try await world.home.succeed("switch", "-")
            #expect(try await world.home.active()?.handle == "alice.test")
        }
    }
}
