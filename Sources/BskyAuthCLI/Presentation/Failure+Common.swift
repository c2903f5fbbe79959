internal import Platform

extension Failure {
    static func usage(_ message: String) -> Failure {
        Failure(.usage, "usage", message, hint: "bskyauth help")
    }

    static func terminal(_ error: SystemError) -> Failure {
        Failure(
            .failure, "terminal", "the terminal can't be used: \(error.reason)", hint: "bskyauth --no-input …"
        )
    }

    /// The same ending without its words, for a command that has said them already.
    var told: Failure {
        var copy = self
        copy.isTold = true
        return copy
    }
}
