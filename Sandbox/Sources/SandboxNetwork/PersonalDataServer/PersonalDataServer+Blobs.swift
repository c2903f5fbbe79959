import NIOCore

extension PersonalDataServer {
    /// Blobs: streamed in, hashed on the way, kept in memory (`protocol:X7`).
    var blobMethods: [String: XRPCMethod] {
        [
            "com.atproto.repo.uploadBlob": XRPCMethod(
                verb: .procedure,
                input: .bytes,
                authorize: { (call) throws(XRPCFailure) in
                    let type = call.exchange.mediaType ?? "*/*"
                    try call.require({ $0.allowsBlob(type) }, "blob:\(type)")
                }
            ) { (call) throws(XRPCFailure) in
                try await upload(call)
            },
            "com.atproto.sync.getBlob": XRPCMethod(verb: .query, parameters: ["did", "cid"], access: .open) {
                (call) throws(XRPCFailure) in
                let blob = await repositories.blob(
                    call.parameter("cid") ?? "", of: call.parameter("did") ?? "")
                guard let blob else { throw XRPCFailure(400, "BlobNotFound", "Blob not found", .blobUnknown) }
                return Answer(
                    status: 200,
                    headers: [
                        "content-type": blob.mediaType,
                        "x-content-type-options": "nosniff",
                        "content-security-policy": "default-src 'none'; sandbox",
                    ],
                    body: .buffers(blob.content)
                )
            },
        ]
    }

    private func upload(_ call: XRPCCall) async throws(XRPCFailure) -> Answer {
        let caller = try call.requireCaller()
        let tooLarge = XRPCFailure(413, "PayloadTooLarge", "request entity too large")
        if let length = call.exchange.header("content-length").flatMap({ Int($0) }), length > blobLimit {
            throw tooLarge
        }
        let hash = SHA256()
        var content: [ByteBuffer] = []
        var size = 0
        do {
            for try await piece in call.exchange.stream {
                size += piece.readableBytes
                guard size <= blobLimit else { throw tooLarge }
                piece.withUnsafeReadableBytes { hash.update($0) }
                content.append(piece)
            }
            guard call.exchange.arrivedWhole(size) else { throw Exchange.BodyCut() }
        } catch let failure as XRPCFailure {
            throw failure
        } catch {
            throw .invalidRequest("The request body ended early")
        }
        let type = call.exchange.mediaType ?? "application/octet-stream"
        let blob = RepositoryStore.Blob(
            cid: ContentIdentifier(blobDigest: hash.digest()).text, mediaType: type, size: size,
            content: content
        )
        await repositories.keep(blob, of: caller.account.did)
        return .json([
            "blob": [
                "$type": "blob",
                "ref": ["$link": .string(blob.cid)],
                "mimeType": .string(type),
                "size": JSONValue(size),
            ]
        ])
    }
}
