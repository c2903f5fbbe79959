"""The relay page: what it takes from its address, and where it leads. The files beside it."""

from .mutation import Mutation

SUITE = "EndToEndTests.EndToEnd/RelayPageTests"

MUTATIONS = [
    Mutation(
        "the relay page works in a frame",
        SUITE,
        "if(window.top===window)start()",
        "if(window.top)start()",
    ),
    Mutation(
        "the relay page takes a repeated parameter",
        SUITE,
        "if(values.length>1||values.some",
        "if(values.some",
    ),
    Mutation(
        "the relay page takes a code of any length",
        SUITE,
        "code:/^[ -~]{1,2048}$/",
        "code:/^[ -~]+$/",
    ),
    Mutation(
        "the relay page takes any text as the issuer",
        SUITE,
        r"iss:/^https?:\/\/[a-z\d.:[\]-]{1,255}$/",
        "iss:/^/",
    ),
    Mutation(
        "the relay page takes a port in any spelling",
        SUITE,
        r"(?:([1-9]\d{3,4})\.)?",
        r"(?:([^a]+)\.)?",
    ),
    Mutation(
        "the relay page leads to the ports of system services",
        SUITE,
        "port>1023&&",
        "",
    ),
    Mutation(
        "the relay page takes a port that does not exist",
        SUITE,
        "&&port<65536",
        "",
    ),
    Mutation(
        "the relay page hands every parameter on",
        SUITE,
        "isPort(portOf(answer))?answer:null",
        "isPort(portOf(answer))?given:null",
    ),
    Mutation(
        "the relay page leaves the code in the address bar",
        SUITE,
        "history.replaceState(answer&&{answer:`${answer}`},'',address)",
        "history.replaceState(answer&&{answer:`${answer}`},'')",
    ),
    Mutation(
        "the relay page forgets the answer on the way back",
        SUITE,
        "history.replaceState(answer&&{answer:`${answer}`},'',address)",
        "history.replaceState(null,'',address)",
    ),
    Mutation(
        "the relay page leaves again after the way back",
        SUITE,
        "if(isNew)leave(target)",
        "leave(target)",
    ),
    Mutation(
        "the relay page leaves a person who selects the line",
        SUITE,
        "['pointerdown','click','focusin','selectstart']",
        "[]",
    ),
    Mutation(
        "the relay page tells the listener where the browser comes from",
        SUITE,
        '<meta name="referrer" content="no-referrer">\n        <meta name="viewport"',
        '<meta name="viewport"',
    ),
    Mutation(
        "the relay page may load anything",
        "BskyAuthCLITests.RelayPageTests",
        r"default-src 'none'; \(",
        r"default-src *; \(",
    ),
    Mutation(
        "a header that the host lacks is not noticed",
        "BskyAuthCLITests.StaticSiteTests",
        "let found = fields[name] else { return true }",
        "let found = fields[name] else { return false }",
    ),
    Mutation(
        "a base URL may write lines into the header files",
        "BskyAuthCLITests.StaticSiteTests",
        "segment.utf8.allSatisfy(isPlain)",
        "!segment.isEmpty",
    ),
]
