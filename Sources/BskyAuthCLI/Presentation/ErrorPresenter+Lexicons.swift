internal import ATProtoIdentity
internal import ATProtoSessions

extension ErrorPresenter {
    /// Why a lexicon can't be had from its publisher.
    static func failure(_ error: LexiconFailure) -> Failure {
        let (nsid, domain) = (error.nsid, error.nsid.authorityDomain)
        let publisher = error.publisher?.description ?? ""
        let record = "at://\(publisher)/\(LexiconResolver.collection)/\(nsid)"
        func wrong(_ code: String, _ problem: String) -> Failure {
            Failure(
                .verificationFailed, code, problem,
                hint: "to see what \(publisher) has:  bskyauth verify \(record)")
        }
        switch error.reason {
        case .noPublisher:
            return Failure(
                .usage, "unknown_lexicon",
                "there is no lexicon \(nsid): DNS has no TXT record _lexicon.\(domain)",
                hint: "a method can be called without one:  bskyauth help call")
        case .publisher(let error):
            var failure = self.failure(error)
            failure.message = "it is not known who publishes \(nsid): \(failure.message)"
            failure.hint =
                failure.status.isRetryable
                ? "run the command again later; -v shows each step" : "add -v to see each step"
            return failure
        case .absent:
            return Failure(
                .usage, "unknown_lexicon",
                "there is no lexicon \(nsid): \(publisher), which publishes those of \(domain), does not have it",
                hint: "a method can be called without one:  bskyauth help call")
        case .unproven(let cause):
            var failure = self.failure(for: cause)
            failure.message = "the lexicon \(nsid) of \(publisher) is not proven: \(failure.message)"
            if failure.status == .verificationFailed { failure.hint = wrong("", "").hint }
            return failure
        case .tooLong:
            return wrong("invalid_lexicon", "the lexicon \(nsid) of \(publisher) is longer than 1 MiB")
        case .invalid(let place):
            return wrong(
                "invalid_lexicon",
                "what \(publisher) publishes as \(nsid) is no lexicon of this name: \(place.escapedForTerminal) is wrong"
            )
        case .older(let revision):
            return wrong(
                "older_revision",
                "the server of \(publisher) shows an older repository than before, when it had the revision "
                    + "\(revision.escapedForTerminal), so its lexicon \(nsid) is not used")
        case .contradiction:
            return wrong(
                "contradicting_revisions",
                "the server of \(publisher) has shown two repositories with one revision, so its lexicon \(nsid) is not used"
            )
        case .late:
            return Failure(
                .network, "timed_out", "the publisher of \(nsid) did not answer in time",
                hint: "run the command again later")
        }
    }
}
