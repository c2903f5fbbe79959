/// A role in the network.
///
/// The raw values are the names in the journal, in faults and in `--origin ROLE=URL`.
public enum Role: String, CaseIterable, Sendable {
    /// The OAuth authorization server, called "entryway" when it is not the PDS itself.
    case authorizationServer = "as"
    /// The personal data server, the resource server of OAuth.
    case personalDataServer = "pds"
    /// The directory of did:plc documents.
    case plcDirectory = "plc"
    /// A service that takes service tokens. It has no path of its own, only a port.
    case service = "svc"

    /// The role that a path belongs to when all roles share one origin.
    init(servingPath path: String) {
        switch path {
        case "/.well-known/oauth-authorization-server":
            self = .authorizationServer
        case let path where path == "/oauth" || path.hasPrefix("/oauth/"):
            self = .authorizationServer
        case let path where path.hasPrefix("/did:") || path.lowercased().hasPrefix("/did%3a"):
            self = .plcDirectory
        default:
            self = .personalDataServer
        }
    }
}
