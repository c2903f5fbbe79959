package import BskyAuthTestPrograms
package import Foundation

/// An account as `--json` shows it.
package struct Account: Decodable, Sendable {
    package let id: String
    package let label: String?
    package let did: String
    package let handle: String?
    package let pds: String
    package let issuer: String
    package let clientId: String
    package let scopes: [String]
    package let active: Bool
    package let state: String
    package let accessExpiresAt: String
    package let jkt: String
}

/// The one line of an error under `--json`.
package struct ErrorLine: Decodable, Sendable {
    package let code: String
    package let message: String
    package let hint: String?
    package let exit: Int32
    package let retryable: Bool
    package let account: String?
    package let http: Int?
    package let serverError: String?
    package let retryAt: String?
    package let cursor: String?
}

/// A command that should have succeeded.
package struct CommandFailed: Error, CustomStringConvertible {
    package let arguments: [String]
    package let result: Program.Result

    package init(arguments: [String], result: Program.Result) {
        self.arguments = arguments
        self.result = result
    }

    package var description: String {
        "\(arguments.joined(separator: " ")) ended with \(result.status): \(result.errors)"
    }
}

extension Home {
    private struct Login: Decodable {
        let account: Account
    }

    private struct Listing: Decodable {
        let accounts: [Account]
    }

    /// Runs a command that must succeed.
    @discardableResult
    package func succeed(
        _ arguments: String..., input: Data? = nil, browser: String? = nil,
        environment more: [String: String] = [:], in folder: URL? = nil
    ) async throws -> Program.Result {
        let result = try await run(
            arguments, input: input, browser: browser, environment: more, in: folder)
        guard result.status == 0, !result.wasSignalled else {
            throw CommandFailed(arguments: arguments, result: result)
        }
        return result
    }

    /// Logs in and gives the account that is there now.
    @discardableResult
    package func logIn(
        _ arguments: String..., browser: String? = nil, environment more: [String: String] = [:]
    ) async throws -> Account {
        let all = ["login", "--json"] + arguments
        let result = try await run(all, browser: browser, environment: more)
        guard result.status == 0 else { throw CommandFailed(arguments: all, result: result) }
        return try Self.decode(Login.self, result.output).account
    }

    /// Every account of the vault.
    package func accounts() async throws -> [Account] {
        try Self.decode(Listing.self, try await succeed("accounts", "--json").output).accounts
    }

    /// The account that is active; nil where none is.
    package func active() async throws -> Account? {
        try await accounts().first { $0.active }
    }

    static func decode<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(type, from: data)
    }
}

extension Program.Result {
    private struct Wrapped: Decodable {
        let error: ErrorLine
    }

    /// The error line among what was said on standard error; nil where there is none.
    package var errorLine: ErrorLine? {
        errors.split(separator: "\n").lazy
            .compactMap { try? Home.decode(Wrapped.self, Data($0.utf8)).error }.first
    }
}
