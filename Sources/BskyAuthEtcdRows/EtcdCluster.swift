package import ATPCryptography
package import ATPNetworking

/// Where an etcd cluster is, and how this machine proves who it is.
package struct EtcdCluster: Sendable {
    /// A user of the cluster with a password.
    package struct Credentials: Sendable {
        package let user: String
        package let password: SecretBytes

        package init(user: String, password: SecretBytes) {
            self.user = user
            self.password = password
        }
    }

    /// The origins of the nodes. Any of them can answer; the next one is asked if one can't be reached.
    package let nodes: [Origin]
    /// The beginning of every key in etcd, without the slash that follows it.
    package let prefix: String
    /// Nil if the cluster does not ask who somebody is.
    package let credentials: Credentials?
    /// The certificate that the cluster asks for; nil for none. etcd's JSON gateway does not take a user from it.
    package let certificate: ClientCertificate?
    /// The longest time for a request to one node.
    package let timeLimit: Duration

    package init(
        nodes: [Origin], prefix: String, credentials: Credentials? = nil,
        certificate: ClientCertificate? = nil, timeLimit: Duration = .seconds(5)
    ) {
        self.nodes = nodes
        self.prefix = prefix
        self.credentials = credentials
        self.certificate = certificate
        self.timeLimit = timeLimit
    }

    /// What a transport must allow. A store is the user's own, so it may have a private address. Without TLS it is on this machine.
    package var policy: NetworkPolicy {
        let plain = nodes.first { $0.scheme == .http }
        return plain.map { NetworkPolicy(devNetwork: $0) } ?? NetworkPolicy(allowsPrivateNetwork: true)
    }
}
