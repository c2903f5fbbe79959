import Testing

@Suite("Platform") struct PlatformTests {}
