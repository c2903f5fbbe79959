import Testing

@Suite("BskyAuthCLI") struct BskyAuthCLITests {}
