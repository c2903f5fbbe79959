import BskyAuthCovers
import Testing

@testable import BskyAuthCLI

@Suite("AppPasswordReader") struct AppPasswordReaderTests {
    @Test(
        "tells an app password by its shape", .covers("A3"),
        arguments: [
            ("abcd-efgh-ijkl-mnop", true), ("a2b3-c4d5-e6f7-g2h3", true), ("correct horse", false),
            ("abcd-efgh-ijkl", false), ("abcd-efgh-ijkl-mnop-qrst", false), ("abcdefghijklmnop", false),
            ("abcd-efgh-ijkl-mno!", false), ("---", false), ("", false),
        ])
    func shape(text: String, isOne: Bool) {
        #expect(AppPasswordReader.looksLikeAppPassword(text) == isOne)
    }
}
