import EndToEndSupport
import Testing

@Suite("Refusals") struct RefusalTests {}
