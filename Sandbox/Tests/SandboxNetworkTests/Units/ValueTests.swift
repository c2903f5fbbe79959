import Testing

@testable import SandboxNetwork

@Suite("Values")
struct ValueTests {
    @Test(
        "durations",
        arguments: [
            ("30s", 30.0), ("5m", 300), ("1h", 3600), ("14d", 1_209_600), ("250ms", 0.25), ("-90s", -90),
        ])
    func durations(text: String, seconds: Double) {
        #expect(Duration(sandboxText: text)?.timeInterval == seconds)
    }

    @Test("no durations", arguments: ["", "30", "s", "1w", "nans", "1e30d"])
    func noDurations(text: String) {
        #expect(Duration(sandboxText: text) == nil)
    }

    @Test("JSON pointers set and remove, and make what is missing")
    func pointers() throws {
        var json = try JSONValue(parsing: Array(#"{"a":{"b":[1,2]},"x~/":1}"#.utf8))
        json.set(9, at: "/a/b/1")
        json.set("new", at: "/c/d")
        json.set(2, at: "/x~0~1")
        json.remove(at: "/a/b/0")
        json.remove(at: "/nowhere/at/all")
        #expect(json == ["a": ["b": [9]], "x~/": 2, "c": ["d": "new"]])
    }

    @Test("JSON text escapes what must be escaped")
    func text() {
        let value: JSONValue = ["a": "q\" b\\ n\n \u{1} é", "b": [1, true, .null, .number(1.5)]]
        #expect(value.text == #"{"a":"q\" b\\ n\n \u0001 é","b":[1,true,null,1.5]}"#)
    }

    @Test("base58 and base32 as their specifications have them")
    func bases() {
        #expect(Base58.encode(Array("Hello World!".utf8)) == "2NEpo7TZRRrLZSi2U")
        #expect(Base58.encode([0, 0, 1]) == "112")
        #expect(Base32.encode(Array("foobar".utf8)) == "mzxw6ytboi")
    }

    @Test("paths belong to roles")
    func roles() {
        #expect(Role(servingPath: "/oauth/par") == .authorizationServer)
        #expect(Role(servingPath: "/.well-known/oauth-authorization-server") == .authorizationServer)
        #expect(Role(servingPath: "/did%3Aplc%3Aabc") == .plcDirectory)
        #expect(Role(servingPath: "/xrpc/a.b.c") == .personalDataServer)
    }
}
