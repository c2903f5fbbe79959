import Cryptography
import Foundation
import LoopbackServer
import OAuth
import Testing

@testable import BskyAuthCLI
@testable import BskyAuthCore

@Suite("CallbackPage") struct CallbackPageTests {
    private func page(_ receipt: RedirectReceipt) -> (status: Int, html: String, script: [UInt8]?) {
        let reply = CallbackPage.reply(receipt)
        return (reply.status, String(decoding: reply.html, as: UTF8.self), reply.scriptSHA256)
    }

    private func outcome(_ label: String?) throws -> LoginOutcome {
        LoginOutcome(
            account: try Sample.profile(label: label), session: try Sample.session(), replacedSession: false,
            isActive: true, missingScopes: [])
    }

    @Test("a stray visit is a 400 that says the login goes on") func notOurs() {
        let page = page(.notOurs)
        #expect(page.status == 400 && page.html.contains("goes on waiting"))
    }

    @Test("says who is signed in, escaped") func success() throws {
        let page = page(.settled(.success(try outcome("<b>&\"'x"))))
        #expect(page.status == 200)
        #expect(page.html.contains("Signed in as @alice.example.com (&lt;b&gt;&amp;&quot;&#39;x)"))
        #expect(!page.html.contains("<b>"))
    }

    @Test("a declined login is no failure") func declined() {
        let page = page(
            .settled(.failure(.authorization(.refused(error: "access_denied", description: "no")))))
        #expect(page.html.contains("You declined. Nothing was saved."))
    }

    @Test("what a server says is text, and said once that nothing was saved") func failure() {
        let error = AuthorizationResponseError.refused(error: "x", description: "<script>alert(1)</script>")
        #expect(
            page(.settled(.failure(.authorization(error)))).html.contains(
                "&lt;script&gt;alert(1)&lt;/script&gt;"))
        let mismatch = page(.settled(.failure(.authorization(.issuerMissing)))).html
        #expect(mismatch.lowercased().components(separatedBy: "nothing was saved").count == 2)
        #expect(mismatch.contains("<p>The answer does not say"))
    }

    @Test("the one script is the one whose hash is allowed, and nothing is loaded") func script() throws {
        let receipts: [RedirectReceipt] = [
            .notOurs, .settled(.success(try outcome(nil))), .settled(.failure(.loginTimedOut)),
        ]
        for receipt in receipts {
            let page = page(receipt)
            let scripts = page.html.components(separatedBy: "<script>").dropFirst()
                .compactMap { $0.components(separatedBy: "</script>").first }
            #expect(scripts.count == 1)
            #expect(page.script == scripts.first.map { SHA256.hash($0.utf8) })
            #expect(scripts.first?.contains("history.replaceState") == true)
            for text in ["http:", "https:", "src=", "href=", "url(", "@import"] {
                #expect(!page.html.contains(text), "\(text)")
            }
        }
    }
}
