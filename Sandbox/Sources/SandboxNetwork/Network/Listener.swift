/// One port, and the roles it serves.
struct Listener: Sendable {
    let roles: Set<Role>
    let port: Int
    /// Whether this listener's URL is the URL of the network.
    let isMain: Bool

    /// The role that answers a request. If the listener does not serve the request's own role, another one answers 404.
    func role(for natural: Role) -> Role {
        if roles.contains(natural) { return natural }
        return roles.contains(.personalDataServer) ? .personalDataServer : roles.first ?? natural
    }

    /// Whether the listener serves the role that a path belongs to. The port of the service serves every path.
    func serves(_ natural: Role) -> Bool { roles.contains(natural) || roles == [.service] }

    /// The listeners of a configuration: one for each role with its own port, and a main one for the others.
    ///
    /// The main listener always serves the PLC directory, because clients look up DIDs at the network's URL.
    static func all(_ configuration: SandboxConfiguration) -> [Listener] {
        let apart = configuration.rolePorts
        let main = Set(Role.allCases).subtracting(apart.keys).union([.plcDirectory]).subtracting([.service])
        var listeners = [Listener(roles: main, port: configuration.port, isMain: true)]
        for role in Role.allCases {
            if let port = apart[role] { listeners.append(Listener(roles: [role], port: port, isMain: false)) }
        }
        return listeners
    }
}
