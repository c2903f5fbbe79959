import Foundation

/// Whether to run the tests that take minutes (`scripts/test --all`).
package let testsAll = environment["BSKYAUTH_TEST_ALL"] == "1"

/// Whether to run what takes too long for CI, by hand.
package let testsLong = environment["BSKYAUTH_TEST_LONG"] == "1"

/// How often a test repeats what chance decides, such as the instant of a kill. `BSKYAUTH_TEST_ROUNDS` is for longer runs by
/// hand.
package func testRounds(_ usual: Int) -> Int { number("BSKYAUTH_TEST_ROUNDS") ?? usual }

/// How many accounts a fleet has. `BSKYAUTH_TEST_ACCOUNTS` is for longer runs by hand.
package func testAccounts(_ usual: Int) -> Int { number("BSKYAUTH_TEST_ACCOUNTS") ?? usual }

private let environment = ProcessInfo.processInfo.environment

private func number(_ name: String) -> Int? { environment[name].flatMap { Int($0) } }
