import Testing

@Suite("OAuth") struct OAuthTests {}
