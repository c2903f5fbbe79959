internal import ATPNetworking

/// One use of an account's session that no other task or process shares, such as a refresh.
package enum Turn {
    /// How long a mirror may take to store a session. The account's lock is held meanwhile.
    package static let mirror = Duration.seconds(60)

    /// How long a login, a logout or a call waits for a turn to end. It is longer than a refresh can take: the mirror before, the
    /// request, the mirror after, and 30 seconds for reading and writing.
    ///
    /// A refresh at a shared vault fits too: 20 seconds until it is sent, 60 for the answer, and 120 in which an ephemeral machine
    /// tries to store it.
    package static let longest = mirror + request + mirror + .seconds(30)

    /// The longest refresh request.
    private static let request = Timeouts.rotation.total ?? .zero
}
