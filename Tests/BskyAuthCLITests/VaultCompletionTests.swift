import ATProtoSessions
import ATProtoVault
import BskyAuthCore
import Testing

@testable import BskyAuthCLI

@Suite("VaultCompletion") struct VaultCompletionTests {
    @Test("a name that leads to two accounts is not offered; one that has no other goes by its UUID")
    func shared() throws {
        let accounts = try [
            Sample.account(label: "work"), Sample.account(),
            Sample.account(handle: "bob.test", label: "Work"),
            Sample.account(handle: "carol.test", label: "carol.test"),
        ]
        #expect(
            accounts.completions == [
                accounts[0].id.text, accounts[1].id.text, "bob.test", "carol.test", "carol.test",
            ])
    }

    @Test(
        "a label that a shell would take apart is not offered",
        arguments: [
            "$(touch here)", "`touch here`", "a\nb", "$HOME", "-rf", "a b", "a'b", "a\"b", "a\\b", "*",
        ])
    func hostile(_ label: String) throws {
        #expect(try [Sample.account(label: label)].completions == ["alice.example.com"])
        let nameless = try Sample.account(handle: nil, label: label)
        #expect([nameless].completions == [nameless.id.text])
    }

    @Test(
        "a line that leads to no vault is offered nothing, however far it is written",
        arguments: [
            ["--home", "/nowhere"], ["--home=/nowhere"], ["--home", "=", "/nowhere"],
            ["--home", "'/no where'"],
            ["--home", "~/nowhere"], ["--home"], ["--key-file", "/a", "--passphrase-file", "/b"],
        ])
    func nowhere(_ words: [String]) {
        let completion = VaultCompletion(
            words: ["bskyauth", "switch"] + words, environment: ["HOME": "/nowhere"])
        #expect(completion.accounts.isEmpty && completion.keys.isEmpty)
    }
}
