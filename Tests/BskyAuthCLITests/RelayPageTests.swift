import ATPCryptography
import Foundation
import Testing

@testable import BskyAuthCLI

@Suite("RelayPage") struct RelayPageTests {
    private let html = RelayPage.html

    /// The texts of the elements of a name.
    private func texts(of element: String) -> [String] {
        html.components(separatedBy: "<\(element)>").dropFirst()
            .compactMap { $0.components(separatedBy: "</\(element)>").first }
    }

    private func hash(of text: String) -> String {
        "sha256-" + Data(SHA256.hash(text.utf8)).base64EncodedString()
    }

    @Test("one version of the page has one text")
    func version() {
        // When the text changes, raise the version, and put its hash here.
        let known = [1: "af0324704e938f3f655e3bf218eb4376878d34076e0f8a342c6b0858058b816a"]
        let found = RelayPage.sha256.map { String(format: "%02x", $0) }.joined()
        #expect(found == known[RelayPage.version])
        #expect(html.contains("<footer>bskyauth relay page \(RelayPage.version)</footer>"))
    }

    @Test("the policy allows the one script and the one style sheet by their hashes, and nothing else")
    func policy() throws {
        let script = try #require(texts(of: "script").first)
        let style = try #require(texts(of: "style").first)
        #expect(texts(of: "script").count == 1 && texts(of: "style").count == 1)
        let policy = """
            default-src 'none'; script-src '\(hash(of: script))'; style-src '\(hash(of: style))'; base-uri 'none'; \
            form-action 'none'; require-trusted-types-for 'script'
            """
        let meta = #"<meta http-equiv="Content-Security-Policy" content="\#(policy)">"#
        // A policy holds for what comes after it.
        let start = html.components(separatedBy: meta)
        #expect(start.count == 2)
        #expect(start.first == "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n")
        #expect(html.contains(#"<meta name="referrer" content="no-referrer">"#))
    }

    @Test("loads nothing, and asks for nothing but to navigate")
    func resources() {
        for text in [
            "src=", "url(", "@import", "<link", "<img", "<form", "<iframe", " style=", " onclick=",
            "https://",
            "fetch(", "XMLHttpRequest", "sendBeacon", "Image(", "innerHTML", "eval(", "error_description",
        ] {
            #expect(!html.contains(text), "\(text)")
        }
        #expect(html.components(separatedBy: "http://").count == 2)
        #expect(html.contains("`http://127.0.0.1:${port}/callback?${answer}`"))
    }

    @Test("says without JavaScript what to do, and hides the rest")
    func withoutScript() {
        let sections = html.components(separatedBy: "<section ").dropFirst()
        #expect(sections.filter { !$0.prefix(while: { $0 != ">" }).hasSuffix(" hidden") }.count == 1)
        #expect(sections.first?.contains("from the address bar, and paste it into the terminal") == true)
    }

    @Test("warns wherever it shows something to paste")
    func warning() {
        let warning = """
            Paste this only into a terminal where you yourself ran <code>bskyauth login</code> a moment ago. \
            Never send it to anyone.
            """
        #expect(html.components(separatedBy: warning).count == 3)
    }
}
