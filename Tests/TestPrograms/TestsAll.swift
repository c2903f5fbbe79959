import Foundation

/// Whether the rounds that take minutes are wanted (`scripts/test --all`).
package let testsAll = ProcessInfo.processInfo.environment["BSKYAUTH_TEST_ALL"] == "1"
