internal import ATPJSON

/// One finding of `doctor`.
struct Diagnosis {
    enum Verdict: String {
        case ok
        /// Something does without it, or will have to.
        case warning
        /// Something does not work.
        case failed

        var style: TextStyle {
            switch self {
            case .ok: .good
            case .warning: .warning
            case .failed: .bad
            }
        }
    }

    /// The stable name of the subject, for scripts.
    let name: String
    let verdict: Verdict
    let message: String
    /// The next step; nil if none is needed.
    let hint: String?
    /// The failure of the command if this is the first finding that failed.
    let failure: Failure?

    static func ok(_ name: String, _ message: String) -> Diagnosis {
        Diagnosis(name: name, verdict: .ok, message: message, hint: nil, failure: nil)
    }

    static func warning(_ name: String, _ message: String, _ hint: String) -> Diagnosis {
        Diagnosis(name: name, verdict: .warning, message: message, hint: hint, failure: nil)
    }

    static func failed(_ name: String, _ failure: Failure) -> Diagnosis {
        Diagnosis(
            name: name, verdict: .failed, message: failure.message, hint: failure.hint, failure: failure)
    }

    var json: JSONValue {
        [
            "name": .string(name), "verdict": .string(verdict.rawValue), "message": .string(message),
            "hint": JSONValue(hint), "error": JSONValue(failure?.code),
        ]
    }
}

extension [Diagnosis] {
    /// The first failure may be the cause of the others.
    var failure: Failure? { lazy.compactMap(\.failure).first }

    private var verdict: Diagnosis.Verdict {
        if failure != nil { return .failed }
        return contains { $0.verdict == .warning } ? .warning : .ok
    }

    var json: JSONValue {
        [
            "schema": "bskyauth.doctor/1", "verdict": .string(verdict.rawValue),
            "checks": .array(map(\.json)),
        ]
    }

    /// A line for each, and below it what to do.
    var table: Table {
        var table = Table()
        for diagnosis in self {
            table.append(cells: [
                .init(diagnosis.verdict.rawValue, diagnosis.verdict.style), .init(diagnosis.name),
                .init(diagnosis.message),
            ])
            if let hint = diagnosis.hint { table.append(["", "", "  " + hint]) }
        }
        return table
    }
}
