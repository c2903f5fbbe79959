"""Network: which servers are reached, and which requests are sent again."""

from .mutation import Mutation

MUTATIONS = [
    Mutation(
        "redirects are followed",
        "ATProtoCurlTests.ResponseTests",
        "set(CURLOPT_FOLLOWLOCATION, 0)",
        "set(CURLOPT_FOLLOWLOCATION, 1)",
    ),
    *[
        Mutation(
            f"a libcurl that refuses CURLOPT_{option} is used without it",
            "FleetTests.FleetRefreshTests" if option == "PREREQFUNCTION" else "EndToEndTests.EndToEnd/LibcurlTests",
            text,
            text.replace("try ", "try? ", 1),
        )
        for option, text in [
            ("PROTOCOLS_STR", "try set(CURLOPT_PROTOCOLS_STR,"),
            ("PATH_AS_IS", "try set(CURLOPT_PATH_AS_IS,"),
            ("FOLLOWLOCATION", "try set(CURLOPT_FOLLOWLOCATION,"),
            ("PROXY", "try set(CURLOPT_PROXY,"),
            ("NOPROXY", "try set(CURLOPT_NOPROXY,"),
            ("CAINFO", "try setTrust(CURLOPT_CAINFO,"),
            ("CAPATH", "try setTrust(CURLOPT_CAPATH,"),
            ("SSLCERT", "try set(CURLOPT_SSLCERT,"),
            ("OPENSOCKETFUNCTION", "try require(\n            CURLOPT_OPENSOCKETFUNCTION,"),
            ("PREREQFUNCTION", "try require(\n            CURLOPT_PREREQFUNCTION,"),
        ]
    ],
    Mutation(
        "redirects are followed with URLSession",
        "ATProtoURLSessionTests.ResponseTests",
        "completionHandler(nil)",
        "completionHandler(request)",
    ),
    Mutation(
        "a failed connection of URLSession proves that nothing was sent",
        "ATProtoURLSessionTests.EndingTests",
        "requestWasSent: code != .nameNotResolved",
        "requestWasSent: code != .nameNotResolved && code != .notConnected",
    ),
    Mutation(
        "plain HTTP is allowed on the real network",
        "ATPNetworkingTests.NetworkPolicyTests",
        "guard url.origin.scheme == .https else { return .plainHTTP }",
        "",
    ),
    Mutation(
        "private addresses are allowed",
        "ATPNetworkingTests.NetworkPolicyTests",
        "return (range == .global || allowsPrivateNetwork) &&",
        "return (range != .loopback || allowsPrivateNetwork) &&",
    ),
    Mutation(
        "metadata services are allowed with private addresses",
        "ATPNetworkingTests.NetworkPolicyTests",
        " && !AddressRange.isMetadataService(address)",
        "",
    ),
    Mutation(
        "a proxy is asked for private addresses",
        "ATPNetworkingTests.NetworkPolicyTests",
        "return .privateAddress",
        "return nil",
    ),
    Mutation(
        "no address is checked when a proxy is set",
        "ATProtoCurlTests.ProxyTests",
        "if job.exchange.proxy == nil {",
        "if !job.exchange.configuration.usesProxy {",
    ),
    Mutation(
        "a response head may have any number of lines",
        "ATProtoCurlTests.ResponseTests",
        "lines <= Self.mostLines",
        "true",
    ),
    Mutation(
        "every write may be sent again",
        "ATProtoXRPCTests.XRPCTests",
        "onlyReads || Self.idempotentProcedures.contains(nsid.description)",
        "true",
    ),
    Mutation(
        "a publisher decides that a call may be sent again",
        "ATProtoXRPCTests.XRPCTests",
        "method == .query && (!isForeignQuery || XRPCMethod(inferredFrom: nsid) == .query)",
        "method == .query",
    ),
    Mutation(
        "a lexicon of another name counts",
        "EndToEndTests.EndToEnd/LexiconTests",
        "name == nil || name?.description == id",
        "true",
    ),
    Mutation(
        "an older repository gives a lexicon",
        "EndToEndTests.EndToEnd/LexiconTests",
        "throw LexiconFailure(nsid, publisher: lexicon.publisher, .older(than: known))",
        "_ = known\n            return lexicon",
    ),
    Mutation(
        "a lexicon of the cache counts without the code of the vault",
        "EndToEndTests.EndToEnd/LexiconCallTests",
        "cache.entry(of: nsid, at: network.wallClock.now), entry.isSealed {",
        "cache.entry(of: nsid, at: network.wallClock.now) {",
    ),
    Mutation(
        "a limit of an old lexicon refuses a record",
        "ATProtoXRPCTests.KnownLexiconsTests",
        "foreign[nsid].map { $0.source != .publisher(isFresh: false) } ?? false",
        "foreign[nsid] != nil",
    ),
    Mutation(
        "an unanswered refresh is sent again",
        "BskyAuthCoreTests.RetryFlowTests",
        "&& ([.resource, .clientAssertion].contains(error.endpoint) || !failure.requestWasSent)",
        "",
    ),
    Mutation(
        "an unanswered refresh of a password session is sent again",
        "BskyAuthCoreTests.PasswordSessionTests",
        "case CoreError.sessionService(let error): error.mayPass && !error.requestWasSent",
        "case CoreError.sessionService(let error): error.mayPass",
    ),
    Mutation(
        "the log writes control characters",
        "BskyAuthCLITests.ConsoleLogTests",
        "let text = \"\\(event.message)\\(details.joined())\".escapedForTerminal",
        "let text = \"\\(event.message)\\(details.joined())\"",
    ),
]
