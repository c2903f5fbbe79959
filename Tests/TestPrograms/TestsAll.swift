import Foundation

/// Whether to run the tests that take minutes (`scripts/test --all`).
package let testsAll = ProcessInfo.processInfo.environment["BSKYAUTH_TEST_ALL"] == "1"
