import BskyAuthEndToEnd
import BskyAuthTestPrograms
import Foundation
import Testing

/// What a command that is refused has to say: how it ends, its stable name, and what a person reads.
struct Refusal: Sendable {
    let status: Int32
    let code: String
    /// A part of the sentence.
    let says: String

    init(_ status: Int32, _ code: String, says: String) {
        self.status = status
        self.code = code
        self.says = says
    }

    /// The statuses after which a script may try the same again (bskyauth(1)).
    private static let retryable: Set<Int32> = [9, 11, 12, 75]

    /// `--json`: one line on standard error, every member there, after the URL of a login that came so far.
    func expect(
        inJSON result: Program.Result, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lines = result.errors.split(separator: "\n").filter { !$0.contains("/oauth/authorize?") }
        #expect(lines.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        let line = (try? JSONSerialization.jsonObject(with: Data((lines.last ?? "").utf8))) as? [String: Any]
        let error = line?["error"] as? [String: Any] ?? [:]
        #expect(
            Set(error.keys) == [
                "code", "message", "hint", "exit", "retryable", "account", "http", "server_error",
                "retry_at", "cursor",
            ],
            "\(result.errors)", sourceLocation: sourceLocation)
        #expect(error["code"] as? String == code, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(error["exit"] as? Int32 == status, sourceLocation: sourceLocation)
        #expect(
            error["retryable"] as? Bool == Self.retryable.contains(status), sourceLocation: sourceLocation)
        #expect((error["hint"] as? String)?.isEmpty == false, "no next step", sourceLocation: sourceLocation)
        expect(sentence: error["message"] as? String ?? "", sourceLocation: sourceLocation)
        #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
    }

    /// Without it: `bskyauth:` and one sentence, then what to do, indented.
    func expect(
        inWords result: Program.Result, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let lines = result.errors.split(separator: "\n", omittingEmptySubsequences: false)
        let heads = lines.indices.filter { lines[$0].hasPrefix("bskyauth: ") }
        #expect(heads.count == 1, "\(result.errors)", sourceLocation: sourceLocation)
        guard let head = heads.first else { return }
        expect(
            sentence: String(lines[head].dropFirst("bskyauth: ".count)), sourceLocation: sourceLocation)
        let next = lines.indices.contains(head + 1) ? lines[head + 1] : ""
        #expect(
            next.hasPrefix("  ") && next.count > 4, "no next step: \(result.errors)",
            sourceLocation: sourceLocation)
        #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
    }

    private func expect(sentence: String, sourceLocation: SourceLocation) {
        #expect(sentence.contains(says), "\(sentence)", sourceLocation: sourceLocation)
        let isLowercase = sentence.first?.isUppercase == false || sentence.hasPrefix("BSKYAUTH_")
        #expect(isLowercase, "\(sentence)", sourceLocation: sourceLocation)
        #expect(!sentence.hasSuffix("."), "\(sentence)", sourceLocation: sourceLocation)
        #expect(sentence.count < 700, "\(sentence)", sourceLocation: sourceLocation)
        let isPlain = sentence.unicodeScalars.allSatisfy {
            ![.control, .format].contains($0.properties.generalCategory)
        }
        #expect(isPlain, "\(sentence.debugDescription)", sourceLocation: sourceLocation)
    }
}

/// How a command is run: the way a script does, and the way a curious person does.
enum Reader: CaseIterable {
    case script
    case person

    var flags: [String] {
        switch self {
        case .script: ["--json", "--quiet"]
        case .person: ["--verbose"]
        }
    }
}
