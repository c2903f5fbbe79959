import ATPNetworking
import ATProtoIdentity
import Testing

@testable import BskyAuthCLI
@testable import BskyAuthCore

@Suite("Errors of services") struct ErrorPresenterServiceTests {
    private static func unusable(_ code: IdentityError.Code) throws -> CoreError {
        let service = try ServiceReference(validating: "did:web:svc.example.com#feed")
        return .unusableService(
            service,
            IdentityError(
                code, step: .didDocument, subject: "did:web:svc.example.com", url: ErrorCase.hostile))
    }

    @Test(
        "say what is wrong with the service, and what helps",
        arguments: [
            (
                IdentityError.Code.notFound, "service_not_found", ExitStatus.unknownAccount,
                "--service DID#SERVICE"
            ),
            (.reservedName, "service_not_found", .unknownAccount, "--service DID#SERVICE"),
            (.invalidDocument(.noService), "service_not_found", .unknownAccount, "--service DID#SERVICE"),
            (.invalidDocument(.endpointNotAnOrigin), "service_unusable", .network, "ask the operator"),
            (.invalidDocument(.endpointRefused(.plainHTTP)), "plain_http", .network, "ask the operator"),
            (
                .invalidDocument(.endpointRefused(.privateAddress)), "private_address", .network,
                "--allow-private-network"
            ),
            (
                .invalidDocument(.endpointRefused(.outsideDevNetwork)), "outside_dev_network", .network,
                "unset BSKYAUTH_DEV_NETWORK"
            ),
            (
                .invalidDocument(.otherSubject(ErrorCase.hostile)), "identity_mismatch", .verificationFailed,
                "ask the operator"
            ),
            (.status(503), "identity_unavailable", .network, "again later"),
            (.redirect, "identity_unavailable", .network, "again later"),
        ])
    func unusable(code: IdentityError.Code, name: String, status: ExitStatus, hint: String) throws {
        let error = try Self.unusable(code)
        ErrorCase(error, name, status).check()
        #expect(ErrorPresenter.failure(for: error).hint?.contains(hint) == true)
    }

    @Test("are tried again only if they may pass by themselves")
    func retries() throws {
        #expect(try Self.unusable(.status(503)).retry == .soon)
        #expect(try Self.unusable(.invalidDocument(.noService)).retry == nil)
        #expect(try Self.unusable(.notFound).retry == nil)
    }

    @Test(
        "say which token a server gave in place of the one that was asked for",
        arguments: [ServiceTokenProblem.malformed, .issuer, .audience, .method, .expiry])
    func wrongToken(problem: ServiceTokenProblem) throws {
        ErrorCase(
            .wrongServiceToken(try Sample.account(), problem), "wrong_service_token", .verificationFailed
        ).check()
    }
}
