internal import ArgumentParser

/// Whether a service token names the service, or only its DID.
struct AudienceOption: ParsableArguments {
    @Flag(
        name: .customLong("aud-with-service"),
        help: "Name the service in the audience of the token, DID#SERVICE, and not only its DID.")
    var namesService = false
}
