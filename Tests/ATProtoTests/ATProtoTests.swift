import Testing

@Suite("ATProto") struct ATProtoTests {}
