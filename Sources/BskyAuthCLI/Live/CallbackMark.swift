/// The drawing on a callback page: one for each result. The drawings differ in their lines as well as in colour.
enum CallbackMark: String, CaseIterable {
    case signedIn = "signed-in"
    case declined
    case failed
    /// The request changed nothing, and the login continues.
    case waiting

    /// The drawing, for the style sheet of the page; the words beside it say the same.
    var svg: String {
        """
        <svg class="\(rawValue)" viewBox="0 0 48 48" aria-hidden="true">\(outline)\
        <path class="sign" d="\(sign)"/></svg>
        """
    }

    private var outline: String {
        switch self {
        case .signedIn, .waiting: #"<circle class="outline" cx="24" cy="24" r="22"/>"#
        case .declined: #"<rect class="outline" x="3" y="3" width="42" height="42" rx="12"/>"#
        case .failed: #"<path class="outline" d="M24 6 44 41H4z"/>"#
        }
    }

    private var sign: String {
        switch self {
        case .signedIn: "M15 25l6.5 6.5L33.5 18"
        case .declined: "M16 24h16"
        case .failed: "M24 19v10M24 35.5v.01"
        case .waiting: "M15 24h.01M24 24h.01M33 24h.01"
        }
    }
}
