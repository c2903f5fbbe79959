"""Identity: handles, DIDs, and what is cached or pinned of them."""

from .mutation import Mutation

MUTATIONS = [
    Mutation(
        "a handle need not be claimed by its DID",
        "ATProtoIdentityTests.IdentityResolverTests",
        "guard document.value.claimedHandle == handle else {",
        "guard document.value.claimedHandle != nil else {",
    ),
    Mutation(
        "a refusal to answer proves that an account does not exist",
        "ATProtoIdentityTests.HandleResolverTests",
        "case 404, 410: .absent",
        "case 400..<500: .absent",
    ),
    Mutation(
        "a DID has no handle if its handle can't be looked up",
        "ATProtoIdentityTests.IdentityResolverTests",
        "document: document.value, handle: nil, handleFailure: error,",
        "document: document.value, handle: nil, handleFailure: nil,",
    ),
    Mutation(
        "one of two TXT records is taken",
        "ATProtoIdentityTests.HandleResolverTests",
        "guard values.count <= 1 else { throw failure(.conflictingRecords) }",
        "",
    ),
    Mutation(
        "a cached identity counts for another network",
        "BskyAuthCoreTests.StoredIdentityCacheTests",
        'json["sources"]?.string == sources, ',
        "",
    ),
    Mutation(
        "a cached identity never expires",
        "BskyAuthCoreTests.StoredIdentityCacheTests",
        "age < Double(min(lifetime, Self.longestLifetime))",
        "age < Double(max(lifetime, Self.longestLifetime))",
    ),
    Mutation(
        "a failing DNS server counts as an empty answer",
        "ATProtoIdentityTests.DNSAnswerTests",
        "guard code == success || code == noSuchName else { throw TextRecordError(.noAnswer) }",
        "",
    ),
    Mutation(
        "a DNS answer need not repeat the question",
        "ATProtoIdentityTests.DNSAnswerTests",
        "message.dropFirst(headerLength).prefix(question.count).elementsEqual(question, by: isSameLetter),",
        "!question.isEmpty,",
    ),
    Mutation(
        "a DID document may name another DID",
        "ATProtoIdentityTests.DIDDocumentTests",
        'guard let id = members["id"]?.string, id == did.description else {',
        'guard let id = members["id"]?.string, !id.isEmpty else {',
    ),
    Mutation(
        "other users may write a pin file",
        "ATPPlatformTests.FileTests",
        "case readable = 0o022",
        "case readable = 0o002",
    ),
    Mutation(
        "server metadata is never fetched again",
        "BskyAuthCoreTests.RefreshAllTests",
        "IssuerVerification.serves($0.fetchedAt, at: now) ? $0 : nil",
        "$0",
    ),
    Mutation(
        "shared server metadata gets a new date",
        "BskyAuthCoreTests.RefreshAllTests",
        "metadata: metadata.json, verifiedAt: answer.fetchedAt",
        "metadata: metadata.json, verifiedAt: network.wallClock.now",
    ),
    Mutation(
        "a cached token endpoint needs no code of the vault",
        "BskyAuthCoreTests.SessionCacheTests",
        "seal.isAuthentic(bytes, ofCached: Array(text.utf8))",
        "!bytes.isEmpty",
    ),
    Mutation(
        "a refresh token goes to an endpoint from a forged cache",
        "BskyAuthCoreTests.RotationTests",
        "ConstantTime.equals(code, self.code(ofCached: message))",
        "!code.isEmpty",
    ),
    Mutation(
        "a server that was verified for another account is trusted",
        "BskyAuthCoreTests.RotationTests",
        "recent.did == account.did.description, ",
        "",
    ),
    Mutation(
        "a server that was verified for an earlier PDS is trusted",
        "BskyAuthCoreTests.RotationTests",
        "recent.pds == account.pds.description,",
        "",
    ),
    Mutation(
        "a login goes to the server of a remembered document",
        "ATProtoIdentityTests.IdentityResolverTests",
        "let document = try await find(did.value, .now)",
        "let document = try await find(did.value, freshness)",
    ),
]
