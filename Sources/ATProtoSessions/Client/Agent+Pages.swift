internal import ATPJSON
internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoXRPC

extension Agent {
    /// The pages of a query, one after the other. Each is asked for when it is needed, with the cursor of the page before
    /// (atproto.com/specs/xrpc, Cursors and Pagination). An empty page may have successors.
    ///
    /// - Parameters:
    ///   - nsid: the name of the method.
    ///   - parameters: the parameters of each page.
    ///   - type: what a page is read as.
    public func pages<Page: Decodable & Sendable>(
        _ nsid: String, _ parameters: XRPCParameters = [:], as type: Page.Type = Page.self
    ) -> Pages<Page> {
        Pages(agent: self, nsid: nsid, parameters: parameters)
    }

    /// The pages of a query. Each loop over them begins at the first page.
    public struct Pages<Page: Decodable & Sendable>: AsyncSequence, Sendable {
        let agent: Agent
        let nsid: String
        let parameters: XRPCParameters

        /// A loop over the pages.
        public func makeAsyncIterator() -> Iterator { Iterator(pages: self) }

        /// A loop over the pages.
        public struct Iterator: AsyncIteratorProtocol {
            let pages: Pages
            private var seen: Set<String> = []
            private var cursor: String?
            private var isOver = false

            init(pages: Pages) {
                self.pages = pages
            }

            /// The next page; nil after the last one.
            ///
            /// - Throws: ``ATProtoFailure/Code/unreadableAnswer`` also for a cursor that came before, because the loop would
            ///   never end.
            public mutating func next(
                isolation actor: isolated (any Actor)? = #isolation
            ) async throws(ATProtoFailure) -> Page? {
                guard !isOver else { return nil }
                isOver = true
                var parameters = pages.parameters
                parameters.append("cursor", cursor.map { XRPCParameters.Value($0) })
                let body = try await pages.agent.answer(
                    .query, pages.nsid, parameters, .none, "application/json")
                let page: Page = try Agent.decode(body)
                do { cursor = try XRPCPage(body).cursor } catch {
                    throw ATProtoFailure(.unreadableAnswer, "the answer is no page with a cursor")
                }
                guard let next = cursor else { return page }
                guard seen.insert(next).inserted else {
                    throw ATProtoFailure(.unreadableAnswer, "the server repeats a cursor")
                }
                isOver = false
                return page
            }
        }
    }
}
