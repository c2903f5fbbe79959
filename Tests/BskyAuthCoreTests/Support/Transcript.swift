import BskyAuthTestSupport

extension Transcript {
    /// An answer of the reference server, moved to `pds.example.com` and the handle `alice.example.com`,
    /// since names under `.test` are refused on a real network.
    static func answer(_ name: String) throws -> ScriptedTransport.Answer {
        try Transcript(name).undatedAnswer { body in
            body.replacing("carol.pds.test", with: "alice.example.com")
                .replacing("pds.test", with: "pds.example.com")
        }
    }
}
