import Testing

@Suite("BskyAuthCore") struct BskyAuthCoreTests {}
