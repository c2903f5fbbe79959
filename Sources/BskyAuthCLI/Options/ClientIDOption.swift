internal import ATProtoOAuth
internal import OAuthDPoP

/// The URL of a hosted client's metadata.
enum ClientIDOption {
    static func validated(_ text: String) throws -> ClientID {
        do {
            return try HostedClientID.make(text)
        } catch let error {
            let reason =
                switch error {
                case .notHTTPS: "it is not an https URL"
                case .host: "its host must be a name with a dot"
                case .path: "its path must name a document, for example /oauth-client-metadata.json"
                case .notCanonical:
                    "servers compare it byte for byte, so write the host in lower case and no default port"
                }
            throw Failure.usage("\"\(text.escapedForTerminal)\" can't be a client id: \(reason)")
        }
    }
}
