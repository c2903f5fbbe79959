import Testing

@Suite("CurlTransport") struct CurlTransportTests {}
