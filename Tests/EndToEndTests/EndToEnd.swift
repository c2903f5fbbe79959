import Testing

/// Real processes: the program, the sandbox network and a scripted browser. One test at a time, since each
/// starts many.
@Suite("End to end", .serialized)
enum EndToEnd {}
