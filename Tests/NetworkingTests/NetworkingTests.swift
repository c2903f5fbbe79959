import Testing

@Suite("Networking") struct NetworkingTests {}
