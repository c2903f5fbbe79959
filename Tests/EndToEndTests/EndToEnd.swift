import BskyAuthEndToEnd
import Testing

/// Real processes: the program, the sandbox network and a scripted browser.
@Suite("End to end", .fewAtOnce)
enum EndToEnd {}
