@testable import SandboxNetwork

/// Pushed authorization requests (1xx): the recorded body is sent again, byte for byte, with a proof that has
/// the same faults as the recorded one.
enum PushWalks {
    static let all =
        plain.map { number in
            Walk(number) { stage in [number: try await push(number, stage)] }
        } + [replayed] + aged

    /// Cases that one request performs.
    private static let plain: [Int] =
        [100, 101, 102, 103, 104, 105, 106, 107, 110, 111, 112, 113, 114, 120, 121, 122, 123, 124, 125]
        + [130, 131, 132, 133, 134, 135, 136, 140, 141, 142, 143, 144, 150, 151, 152, 153, 154, 155]
        + [
            160, 161, 162, 163, 164, 165, 166, 167, 168, 169, 170, 171, 173, 174, 175, 176, 177, 178, 179,
            180,
        ]
        + [185, 186, 187, 188, 189, 190, 191, 192, 193]

    private static let replayed = Walk(172) { stage in
        let identifier = TestKey.random()
        let (now, nonce) = try await stage.client.timeAndNonce(for: "/oauth/par")
        let text = Proof(identifier: identifier).text(
            stage.client.key, method: "POST", url: stage.sandbox.origin + "/oauth/par", nonce: nonce,
            now: now,
            token: nil)
        _ = try await push(172, stage, proof: Proof(literal: text))
        return [172: try await push(172, stage, proof: Proof(literal: text))]
    }

    /// A nonce taken, then the clock moved on.
    private static let aged = [(194, "30s"), (195, "100s"), (196, "200s"), (197, "65s")].map { number, age in
        Walk(number) { stage in
            let nonce = try await stage.client.timeAndNonce(for: "/oauth/par").nonce ?? ""
            try await stage.sandbox.advanceClock(age)
            return [number: try await push(number, stage, proof: Proof(nonce: .literal(nonce)))]
        }
    }

    private static func push(_ number: Int, _ stage: Stage, proof: Proof? = nil) async throws -> WireAnswer {
        guard let recording = Recording.all(of: stage.profile)[number] else {
            throw RunningSandbox.Unexpected(answer: "no recording \(number)")
        }
        return try await stage.client.send(
            number == 185 ? "GET" : "POST",
            "/oauth/par",
            type: recording.requestHeader("content-type"),
            body: number == 185 ? nil : recording.requestBody,
            proof: proof ?? self.proof(like: recording, stage)
        )
    }

    /// A proof with the faults of the recorded one.
    private static func proof(like recording: Recording, _ stage: Stage) -> Proof? {
        guard let sent = recording.requestHeader("dpop") else { return nil }
        guard let header = recording.proofHeader, let payload = recording.proofPayload else {
            return Proof(literal: sent)
        }
        var proof = Proof(
            type: header["typ"]?.string,
            method: payload["htm"]?.string,
            url: payload["htu"]?.string?.replacing(
                stage.profile.recordedOrigin, with: stage.sandbox.origin),
            skew: recording.skew,
            identifier: payload["jti"] == nil ? nil : TestKey.random()
        )
        switch payload["nonce"]?.string {
        case nil: proof.nonce = .absent
        case let text? where text.allSatisfy { $0 == "A" }: proof.nonce = .literal(text)
        default: proof.nonce = .right
        }
        proof.tokenHash = payload["ath"]?.string.map { .literal($0) } ?? .absent
        proof.extra = ["iss", "exp"].compactMap { name in
            payload[name].map { JSONMember(name: name, value: $0) }
        }
        proof.privateKeyInside = header["jwk"]?["d"] != nil
        proof.signatureBroken = recording.number == 173
        return proof
    }
}
