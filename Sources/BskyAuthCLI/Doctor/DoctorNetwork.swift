internal import ATPNetworking
internal import ATProtoIdentity
internal import ATProtoSessions
internal import BskyAuthCore
internal import FoundationEssentials
internal import HTTPTypes
internal import OAuthDPoP

/// Checks the network that every account needs.
struct DoctorNetwork {
    let network: LiveNetwork
    private let identities: LiveIdentities
    private let records: any TextRecordResolver
    private let directory: HTTPURL
    private let dnsServer: String?

    /// - Throws: the error in the settings.
    init(_ servers: ServerAccess) throws {
        network = try servers.network()
        identities = servers.identities(network)
        _ = try identities.resolver()
        records = try identities.textRecords()
        directory = try identities.sources.plcDirectory()
        dnsServer = identities.settings.value(.dnsServer)
    }

    func examine() async -> [Diagnosis] {
        async let dns = dns()
        async let directory = askDirectory()
        return [.proxy(network.proxy), await dns] + (await directory)
    }

    private func dns() async -> Diagnosis {
        if network.policy.devNetwork != nil { return .dnsUnused }
        do {
            // Yes or no: both are answers.
            _ = try await records.textRecords(for: Self.someName)
            return .dns(dnsServer, nil, asking: Self.someName)
        } catch let error {
            return .dns(dnsServer, error, asking: Self.someName)
        }
    }

    /// Checks whether servers can be reached, and compares the clocks.
    private func askDirectory() async -> [Diagnosis] {
        let before = identities.clock.now
        let answer: TransportResponse
        do {
            answer = try await identities.transport.send(
                TransportRequest(method: .get, url: directory, timeouts: .metadata))
        } catch let error {
            return [.failed("directory", ErrorPresenter.failure(error))]
        }
        answer.body.cancel()
        let after = identities.clock.now
        let skew = answer.headerFields.serverTime.map { time in
            // Cut to the second by the server, somewhere between question and answer.
            let local = (before.timeIntervalSince1970 + after.timeIntervalSince1970) / 2
            return Int64((Double(time) + 0.5 - local).rounded())
        }
        let clock = Diagnosis.clock(skew: skew, of: directory)
        guard answer.status < 500 else {
            return [.directoryFails(directory, status: answer.status), clock]
        }
        return [.directory(directory), clock]
    }

    private static let someName = "_atproto.bsky.app"
}
