import Testing

@Suite("Cryptography") struct CryptographyTests {}
