import Testing

@testable import BskyAuthCLI

@Suite("ParameterCompletion") struct ParameterCompletionTests {
    /// The completions for the last word of a line.
    private func names(_ line: String) -> [String] {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        return ParameterCompletion(words: words, index: words.count - 1).names
    }

    @Test("offers the parameters of the method with the sign for their place")
    func offered() {
        #expect(names("bskyauth call app.bsky.feed.getTimeline ") == ["algorithm=", "limit=", "cursor="])
        #expect(names("bskyauth call -a alice.example.com app.bsky.actor.getProfile a") == ["actor="])
        #expect(names("bskyauth xrpc app.bsky.video.uploadPart ") == ["jobId==", "partNumber=="])
        #expect(names("bskyauth call app.bsky.actor.putPreferences ").isEmpty)
        #expect(names("bskyauth call com.example.a.getB ").isEmpty && names("bskyauth call ").isEmpty)
    }

    @Test("leaves out what the line has, but for an array; in bash the signs are words")
    func given() {
        let line = "bskyauth call app.bsky.feed.getTimeline"
        #expect(names("\(line) limit=5 ") == ["algorithm=", "cursor="])
        #expect(names("\(line) limit := 5 ") == ["algorithm=", "cursor="])
        #expect(names("\(line) limit:=5 cursor==x ") == ["algorithm="])
        #expect(names("bskyauth call app.bsky.actor.getProfiles actors=a ") == ["actors="])
        #expect(names("\(line) limit") == ["algorithm=", "limit=", "cursor="])
    }

    @Test(
        "offers nothing for a value",
        arguments: ["limit=", "limit=5", "limit =", "limit = 5", "limit:=", "limit := 5"])
    func values(words: String) {
        #expect(names("bskyauth call app.bsky.feed.getTimeline \(words)").isEmpty)
    }
}
