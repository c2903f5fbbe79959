/// The page at the end of an authorization. The server adds the header fields.
package struct RedirectReply: Sendable, Hashable {
    /// The HTTP status.
    package let status: Int
    /// The page in UTF-8. The browser loads nothing for it, and uses only the inline style sheet and script below.
    package let html: [UInt8]
    /// The SHA-256 hash, 32 bytes, of the text of the inline style sheet (CSP Level 3 §2.3.1).
    package let styleSHA256: [UInt8]?
    /// The SHA-256 hash of the text of the inline script.
    package let scriptSHA256: [UInt8]?

    package init(status: Int, html: [UInt8], styleSHA256: [UInt8]? = nil, scriptSHA256: [UInt8]? = nil) {
        self.status = status
        self.html = html
        self.styleSHA256 = styleSHA256
        self.scriptSHA256 = scriptSHA256
    }

    /// An answer without a page.
    static func refusal(_ status: Int) -> RedirectReply {
        RedirectReply(status: status, html: [])
    }
}
