/// The page a browser ends on. Its header fields are the server's business.
package struct RedirectReply: Sendable, Hashable {
    /// The HTTP status.
    package let status: Int
    /// The page in UTF-8. Nothing in it is loaded or run but inline styles and ``scriptSHA256``.
    package let html: [UInt8]
    /// The SHA-256 of the text of the one inline script that may run (CSP Level 3 §2.3.1): the 32 bytes.
    package let scriptSHA256: [UInt8]?

    /// A page, with at most one script.
    package init(status: Int, html: [UInt8], scriptSHA256: [UInt8]? = nil) {
        self.status = status
        self.html = html
        self.scriptSHA256 = scriptSHA256
    }

    /// An answer without a page.
    static func refusal(_ status: Int) -> RedirectReply {
        RedirectReply(status: status, html: [])
    }
}
