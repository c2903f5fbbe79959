/// One port, and the roles it serves.
struct Listener: Sendable {
    let roles: Set<Role>
    let port: Int
    /// The main listener's URL is the network's.
    let isMain: Bool

    /// The role to book a request under: its own, or the one that has to say there is no such path.
    func role(for natural: Role) -> Role {
        if roles.contains(natural) { return natural }
        return roles.contains(.personalDataServer) ? .personalDataServer : roles.first ?? natural
    }

    /// The listeners a configuration asks for: one for everything, less the roles with a port of their own.
    ///
    /// The main listener keeps the PLC directory even when that has a port as well: the network is known by
    /// the main listener's URL, and clients look DIDs up there.
    static func all(_ configuration: SandboxConfiguration) -> [Listener] {
        let apart = configuration.rolePorts
        let main = Set(Role.allCases).subtracting(apart.keys).union([.plcDirectory])
        var listeners = [Listener(roles: main, port: configuration.port, isMain: true)]
        for role in Role.allCases {
            if let port = apart[role] { listeners.append(Listener(roles: [role], port: port, isMain: false)) }
        }
        return listeners
    }
}
