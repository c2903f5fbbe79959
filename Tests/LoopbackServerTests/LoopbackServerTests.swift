import Testing

@Suite("LoopbackServer") struct LoopbackServerTests {}
