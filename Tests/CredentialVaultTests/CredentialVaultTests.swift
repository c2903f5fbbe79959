import Testing

@Suite("CredentialVault") struct CredentialVaultTests {}
