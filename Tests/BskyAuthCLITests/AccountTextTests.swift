import Foundation
import Testing

@testable import BskyAuthCLI

@Suite("Accounts in words") struct AccountTextTests {
    /// As a bundle or a vault may have it; no command takes it.
    private static let hostile = "w\u{1b}]0;x\u{7}\n\u{202e}k"

    @Test("a label that a terminal would obey is made harmless wherever an account is named") func hostile()
        throws
    {
        let profile = try Sample.profile(label: Self.hostile)
        for text in [
            AccountText.name(profile), AccountText.selector(profile), AccountText.loginCommand(profile),
            AccountText.choices([profile]), AccountText.choices([profile, profile]),
        ] {
            #expect(!text.isEmpty && text.shown == text, "\(text.debugDescription)")
        }
    }
}
