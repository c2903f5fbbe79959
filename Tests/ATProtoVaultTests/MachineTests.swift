import ATPCryptography
import ATPPlatform
import ATProtoVault
import Testing

@Suite("Machines") struct MachineTests {
    private let fixture: VaultFixture
    private let here = machine(1)
    private let there = machine(2)

    init() throws {
        fixture = try VaultFixture()
    }

    private static func machine(_ number: Int) -> MachineID {
        let digits = String(number, radix: 16)
        guard let id = MachineID(Array((String(repeating: "0", count: 32 - digits.count) + digits).utf8))
        else {
            preconditionFailure("no machine id")
        }
        return id
    }

    private func create(on machine: MachineID?) throws -> CredentialVault {
        try CredentialVault.create(
            at: fixture.home, key: VaultFixture.passphrase, cost: VaultFixture.cost, machine: machine)
    }

    @Test func knowsTheMachineItWasMadeOn() throws {
        #expect(try !create(on: here).comes(toAnother: here))
        let vault = try fixture.open()
        #expect(!vault.comes(toAnother: here))
        #expect(vault.comes(toAnother: there))
    }

    @Test func remembersWhereItWasUsed() throws {
        _ = try create(on: here)
        try fixture.open().remember(there)
        #expect(try !fixture.open().comes(toAnother: there))
        #expect(try !fixture.open().comes(toAnother: here))
        let before = try fixture.contents()
        try fixture.open().remember(here)
        #expect(try fixture.contents() == before)
    }

    /// A vault whose first machines had no id.
    @Test func comesFromNowhereAtFirst() throws {
        _ = try create(on: nil)
        #expect(try !fixture.open().comes(toAnother: here))
        try fixture.open().remember(here)
        #expect(try fixture.open().comes(toAnother: there))
    }

    @Test func remembersTheLatest() throws {
        _ = try create(on: here)
        for number in 2...17 { try fixture.open().remember(Self.machine(number)) }
        let vault = try fixture.open()
        #expect(vault.comes(toAnother: here))
        for number in 2...17 { #expect(!vault.comes(toAnother: Self.machine(number))) }
    }

    @Test func doesNotTellTheMachine() throws {
        _ = try create(on: here)
        let header = String(decoding: try fixture.bytes(fixture.home + "/vault.json"), as: UTF8.self)
        #expect(header.contains("machines"))
        #expect(!header.contains("0000000000000001"))
    }

    @Test func keepsThemThroughAChangeOfTheKeys() async throws {
        let vault = try create(on: here)
        let plan = try vault.planRekeying(keeping: [VaultFixture.passphrase], cost: VaultFixture.cost)
        let rekeyed = try vault.beginRekeying(plan)
        #expect(rekeyed.comes(toAnother: there))
        #expect(try rekeyed.endRekeying().isEmpty)
        #expect(try !fixture.open().comes(toAnother: here))
        #expect(try fixture.open().comes(toAnother: there))
        try await fixture.open().addKey(.passphrase(secret("second")), named: nil, cost: VaultFixture.cost)
        #expect(try fixture.open().comes(toAnother: there))
    }
}
