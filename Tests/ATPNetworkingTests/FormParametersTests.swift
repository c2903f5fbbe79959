import ATPNetworking
import BskyAuthCovers
import Testing

@Suite("PercentEncoding") struct PercentEncodingTests {
    @Test("leaves unreserved characters alone and encodes every other byte in upper case")
    func encode() {
        let unreserved = "ABCXYZabcxyz0189-._~"
        #expect(PercentEncoding.encode(unreserved) == unreserved)
        #expect(
            PercentEncoding.encode(" !\"#$%&'()*+,/:;=?@[\\]^`{|}\0\r\n")
                == "%20%21%22%23%24%25%26%27%28%29%2A%2B%2C%2F%3A%3B%3D%3F%40%5B%5C%5D%5E%60%7B%7C%7D%00%0D%0A"
        )
        #expect(PercentEncoding.encode("é🦋") == "%C3%A9%F0%9F%A6%8B")
    }

    @Test("decodes what it encodes")
    func roundTrip() {
        for scalar in (0..<0x800).compactMap({ Unicode.Scalar(UInt32($0)) }) {
            let text = "a\(scalar)b"
            #expect(PercentEncoding.decode(PercentEncoding.encode(text)) == text)
        }
    }

    @Test("takes a plus for a space in forms only")
    func plus() {
        #expect(PercentEncoding.decode("a+b%2Bc") == "a+b+c")
        #expect(PercentEncoding.decode("a+b%2Bc", plusIsSpace: true) == "a b+c")
    }

    @Test(
        "refuses broken escapes and bytes that are not UTF-8",
        arguments: [
            "%", "%4", "a%", "%%41", "%4g", "%g4", "%-1", "%+1", "% 1", "%ff", "%c3", "%c0%80", "%ed%a0%80",
        ])
    func broken(text: String) {
        #expect(PercentEncoding.decode(text) == nil)
    }
}

@Suite("FormParameters") struct FormParametersTests {
    private func pairs(_ text: String) -> [String]? {
        FormParameters(parsing: text)?.all.map { "\($0.name)|\($0.value)" }
    }

    @Test(
        "reads names and values in order",
        arguments: [
            ("", []), ("a=1", ["a|1"]), ("b=2&a=1", ["b|2", "a|1"]), ("a", ["a|"]), ("a=", ["a|"]),
            ("=v", ["|v"]), ("a=b=c", ["a|b=c"]), ("&&a=1&", ["a|1"]), ("a+b=c+d", ["a b|c d"]),
            ("%61%3D=%26%3D", ["a=|&="]), ("a=1;b=2", ["a|1;b=2"]), ("é=ü", ["é|ü"]),
        ])
    func parsing(text: String, expected: [String]) {
        #expect(pairs(text) == expected)
    }

    @Test("separates at the byte, even where a combining mark follows it")
    func combiningMarks() {
        #expect(pairs("a=1&\u{301}b=2") == ["a|1", "\u{301}b|2"])
        #expect(pairs("a=\u{301}&b=2") == ["a|\u{301}", "b|2"])
        #expect(pairs("e\u{301}=\r\n&b=") == ["e\u{301}|\r\n", "b|"])
    }

    @Test(
        "refuses a text with a broken escape anywhere", arguments: ["a=%", "%4=1", "a=1&b=%zz", "a=%ff&b=1"])
    func broken(text: String) {
        #expect(FormParameters(parsing: text) == nil)
    }

    @Test("has no single value where a name is absent or repeated")
    func single() throws {
        let form = try #require(FormParameters(parsing: "code=1&state=x&code=2&iss=&Code=3&%73tate2=y"))
        #expect(form.single("code") == nil)
        #expect(form.values("code") == ["1", "2"])
        #expect(form.single("state") == "x")
        #expect(form.single("iss")?.isEmpty == true)
        #expect(form.single("Code") == "3")
        #expect(form.single("absent") == nil && form.values("absent").isEmpty)
    }

    @Test("does not let an escaped name hide a repetition")
    func escapedRepetition() throws {
        let form = try #require(FormParameters(parsing: "state=a&%73tate=b"))
        #expect(form.single("state") == nil)
    }

    @Test("writes what it reads", .covers("B14"))
    func encoded() throws {
        var form: FormParameters = ["grant_type": "authorization_code", "a b": "c&d=é+"]
        form.append("a b", "")
        form.append(contentsOf: ["z": "1"])
        #expect(form.encoded == "grant_type=authorization_code&a%20b=c%26d%3D%C3%A9%2B&a%20b=&z=1")
        #expect(FormParameters(parsing: form.encoded) == form)
        #expect(FormParameters().isEmpty && FormParameters().encoded.isEmpty && !form.isEmpty)
    }
}
