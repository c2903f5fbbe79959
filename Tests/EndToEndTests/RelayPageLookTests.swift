import BskyAuthEndToEnd
import Foundation
import Testing

private let random = RelaySite.random

extension EndToEnd {
    @Suite(
        "The looks of the relay page",
        .enabled(if: ServerProfile.current == .official, "no server is asked"),
        .enabled(
            if: Chromium.isInstalled || Chromium.isExpected,
            "chromium, chromium-driver or python3-selenium is not there: no page was looked at"))
    struct RelayPageLookTests {
        private let site: RelaySite

        init() throws {
            site = try RelaySite()
        }

        @Test("says without JavaScript what to copy, and shows no text of the address")
        func withoutJavaScript() async throws {
            let answer = "code=c0de&state={port}.\(random)&iss=https://pds.example"
            let visit = try await site.visit(
                "without-javascript",
                [.forbidScripts, .open("{host}/callback.html#\(answer)"), .lookClosely])
            let page = try #require(visit.pages.first)
            #expect(page.text.contains("copy the whole address of this page from the address bar"))
            #expect(page.text.contains("Never send it to anyone."))
            #expect(!page.text.contains("c0de") && !page.text.contains("pds.example"))
            #expect(page.line == nil && page.links == 0)
            #expect(page.url.contains("#code=c0de&state=\(visit.places.port).\(random)"))
            expectReadable(page)
        }

        @Test("can be read in light and dark, on a wide and on a narrow window")
        func looks() async throws {
            let answer = "iss=https://a-host-with-a-very-long-name-that-has-no-place-to-break.pds.example"
            let visit = try await site.visit(
                "looks",
                [
                    .holdClock, .open("{host}/callback.html#code=c0de&state={port}.\(random)&\(answer)"),
                    .lookClosely, .open("{host}/callback.html#code=c0de&state=\(random)"), .lookClosely,
                    .open("{host}/callback.html"), .lookClosely,
                ])
            #expect(visit.pages.count == 3)
            for page in visit.pages { expectReadable(page) }
        }

        private func expectReadable(
            _ page: RelayVisit.Page, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let looks = page.looks ?? []
            #expect(looks.map(\.width) == [900, 360, 900, 360], sourceLocation: sourceLocation)
            for look in looks {
                let place = "\(look.scheme), \(look.width) px wide"
                #expect(look.contentWidth <= look.width, "\(place)", sourceLocation: sourceLocation)
                #expect(look.texts.count >= 3, "\(place)", sourceLocation: sourceLocation)
                for text in look.texts {
                    let contrast = text.colors.contrast ?? 0
                    #expect(contrast >= 4.5, "\(text), \(place)", sourceLocation: sourceLocation)
                }
                let contrast = look.mark?.contrast ?? 0
                #expect(contrast >= 3, "the mark, \(place)", sourceLocation: sourceLocation)
            }
        }
    }
}
