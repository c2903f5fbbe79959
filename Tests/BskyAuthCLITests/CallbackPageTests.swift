import ATPCryptography
import ATProtoVault
import BskyAuthCovers
import BskyAuthLoopback
import Foundation
import OAuthDPoP
import Testing

@testable import BskyAuthCLI
@testable import BskyAuthCore

@Suite("CallbackPage") struct CallbackPageTests {
    private func page(_ receipt: RedirectReceipt) -> (status: Int, html: String) {
        let reply = CallbackPage(receipt).reply
        return (reply.status, String(decoding: reply.html, as: UTF8.self))
    }

    private func outcome(_ label: String?) throws -> LoginOutcome {
        LoginOutcome(
            account: try Sample.account(label: label), session: try Sample.session(), replacedSession: false,
            isActive: true, missingScopes: [])
    }

    @Test("a stray visit is a 400 that says the login goes on") func notOurs() {
        let page = page(.notOurs)
        #expect(page.status == 400 && page.html.contains("still waiting"))
    }

    @Test("says who is signed in, escaped") func success() throws {
        let page = page(.settled(.success(try outcome("<b>&\"'x"))))
        #expect(page.status == 200)
        #expect(page.html.contains("Signed in as @alice.example.com (&lt;b&gt;&amp;&quot;&#39;x)"))
        #expect(!page.html.contains("<b>"))
    }

    @Test("a declined login is no failure") func declined() {
        let page = page(
            .settled(.failure(AuthorizationResponseError.refused(error: "access_denied", description: "no"))))
        #expect(page.html.contains("The sign-in was declined. Nothing was saved."))
    }

    @Test("what a server says is text, and said once that nothing was saved", .covers("R39")) func failure() {
        let error = AuthorizationResponseError.refused(error: "x", description: "<script>alert(1)</script>")
        #expect(
            page(.settled(.failure(error))).html.contains(
                "&lt;script&gt;alert(1)&lt;/script&gt;"))
        let mismatch = page(.settled(.failure(AuthorizationResponseError.issuerMissing))).html
        #expect(mismatch.lowercased().components(separatedBy: "nothing was saved").count == 2)
        #expect(mismatch.contains("<p>The answer does not name"))
    }

    @Test("a vault that failed may hold the account, so the page does not say that nothing was saved")
    func vaultFailure() {
        let page = page(.settled(.failure(VaultError.locked)))
        #expect(page.html.contains("The login failed"))
        #expect(!page.html.lowercased().contains("nothing was saved"))
    }

    @Test("every ending has a mark of its own, drawn and coloured by the style sheet")
    func marks() throws {
        let receipts: [CallbackMark: RedirectReceipt] = [
            .waiting: .notOurs, .signedIn: .settled(.success(try outcome(nil))),
            .declined: .settled(.failure(CoreError.loginDeclined)),
            .failed: .settled(.failure(CoreError.loginTimedOut)),
        ]
        #expect(receipts.count == CallbackMark.allCases.count)
        for (mark, receipt) in receipts {
            #expect(page(receipt).html.contains(mark.svg))
            #expect(CallbackPage.style.contains(".\(mark.rawValue){"))
        }
        #expect(Set(CallbackMark.allCases.map { $0.svg.replacing($0.rawValue, with: "") }).count == 4)
    }

    @Test(
        "the one style sheet and the one script are those whose hashes are allowed, and nothing is loaded",
        .covers("L15", "12.7", "C9"))
    func inlineTexts() throws {
        let receipts: [RedirectReceipt] = [
            .notOurs, .settled(.success(try outcome(nil))), .settled(.failure(CoreError.loginTimedOut)),
        ]
        for receipt in receipts {
            let reply = CallbackPage(receipt).reply
            let html = String(decoding: reply.html, as: UTF8.self)
            for (element, hash) in [("style", reply.styleSHA256), ("script", reply.scriptSHA256)] {
                let texts = html.components(separatedBy: "<\(element)>").dropFirst()
                    .compactMap { $0.components(separatedBy: "</\(element)>").first }
                #expect(texts.count == 1)
                #expect(hash == texts.first.map { SHA256.hash($0.utf8) })
            }
            #expect(html.contains("<script>history.replaceState"))
            for text in ["http:", "https:", "src=", "href=", "url(", "@import", " style="] {
                #expect(!html.contains(text), "\(text)")
            }
        }
    }
}
