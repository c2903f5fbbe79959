import ArgumentParser
import SandboxNetwork

/// `HANDLE[:PASSWORD]`.
struct AccountArgument: ExpressibleByArgument {
    let seed: SandboxConfiguration.AccountSeed

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard let handle = parts.first, !handle.isEmpty else { return nil }
        seed = .init(handle: String(handle), password: parts.count > 1 ? String(parts[1]) : nil)
    }
}

/// `HANDLE:PASSWORD` of an app password.
struct AppPasswordArgument: ExpressibleByArgument {
    let handle: String
    let password: String

    init?(argument: String) {
        let parts = argument.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2, SandboxConfiguration.isAppPassword(parts[1]) else { return nil }
        handle = parts[0].lowercased()
        password = parts[1]
    }
}

/// A duration like `30s`.
struct DurationArgument: ExpressibleByArgument {
    let duration: Duration

    init(_ duration: Duration) {
        self.duration = duration
    }

    init?(argument: String) {
        guard let duration = Duration(sandboxText: argument), duration > .zero else { return nil }
        self.duration = duration
    }

    var defaultValueDescription: String {
        let seconds = duration.components.seconds
        return seconds % 60 == 0 ? "\(seconds / 60)m" : "\(seconds)s"
    }
}

/// The name of a profile.
struct ProfileArgument: ExpressibleByArgument {
    let profile: ServerProfile

    static let official = ProfileArgument(profile: .official)

    init(profile: ServerProfile) {
        self.profile = profile
    }

    init?(argument: String) {
        guard let profile = ServerProfile.all.first(where: { $0.name == argument }) else { return nil }
        self.profile = profile
    }

    static var allValueStrings: [String] { ServerProfile.all.map(\.name) }

    var defaultValueDescription: String { profile.name }
}

/// `ROLE=URL`.
struct OriginArgument: ExpressibleByArgument {
    let role: Role
    let url: String

    init?(argument: String) {
        let parts = argument.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, let role = Role(rawValue: String(parts[0])), parts[1].contains("://") else {
            return nil
        }
        self.role = role
        url = parts[1].hasSuffix("/") ? String(parts[1].dropLast()) : String(parts[1])
    }
}
