import Foundation

/// Valid inputs to mutate.
enum Samples {
    static let serverMetadata = bytes(
        #"{"issuer":"https://pds.test","authorization_endpoint":"https://pds.test/oauth/authorize","#
            + #""token_endpoint":"https://pds.test/oauth/token","#
            + #""pushed_authorization_request_endpoint":"https://pds.test/oauth/par","#
            + #""revocation_endpoint":"https://pds.test/oauth/revoke","#
            + #""require_pushed_authorization_requests":true,"response_types_supported":["code"],"#
            + #""grant_types_supported":["authorization_code","refresh_token"],"#
            + #""code_challenge_methods_supported":["S256"],"#
            + #""token_endpoint_auth_methods_supported":["none","private_key_jwt"],"#
            + #""token_endpoint_auth_signing_alg_values_supported":["ES256"],"#
            + #""authorization_response_iss_parameter_supported":true,"#
            + #""client_id_metadata_document_supported":true,"#
            + #""scopes_supported":["atproto"],"dpop_signing_alg_values_supported":["ES256"]}"#)
    static let resourceMetadata = bytes(
        #"{"resource":"https://pds.test","authorization_servers":["https://pds.test"]}"#)
    static let didDocument = bytes(
        #"{"@context":[],"id":"did:plc:ewvi7nxzyoun6zhxrhs64oiz","alsoKnownAs":["at://alice.test"],"service":"#
            + ##"[{"id":"#atproto_pds","type":"AtprotoPersonalDataServer","serviceEndpoint":"https://a.b"}]}"##
    )
    static let tokens = bytes(
        #"{"access_token":"a","token_type":"DPoP","refresh_token":"ref-1","scope":"atproto","#
            + #""expires_in":3599,"sub":"did:plc:ewvi7nxzyoun6zhxrhs64oiz"}"#)
    static let json = bytes(#"[0,-1.5e+3,true,false,null,"\u00e9\ud83d\ude00\n",{"a":{"b":[[[]]]}}]"#)

    static let refusals = [
        #"{"error":"ScopeMissingError","message":"Missing required scope \"repo:*\""}"#,
        #"{"error":"invalid_grant","error_description":"Refresh token replayed"}"#,
        "<html><body>502 Bad Gateway</body></html>", "plain words\nand more", "",
    ].map(bytes)

    static let challenge = bytes(
        #"Bearer, DPoP algs="RS256 ES256", error="use_dpop_nonce", error_description="a \"quoted\" word""#)

    /// The query of a redirect without the state, which is new for every run.
    static let redirects = [
        "iss=https%3A%2F%2Fpds.test&code=cod-1",
        "error=access_denied&error_description=no%20thanks&iss=https%3A%2F%2Fpds.test",
    ].map(bytes)

    /// Method, target, service and body of requests to the gateway, a line each.
    static let requests = [
        "GET\n/xrpc/app.bsky.feed.getTimeline?limit=5&cursor=a%20b\ndid:web:api.bsky.app#bsky_appview\n",
        "POST\n/xrpc/com.atproto.repo.createRecord\ndid:web:api.bsky.app#bsky_appview\n"
            + #"{"repo":"alice.test","collection":"app.bsky.feed.post","record":{"text":"x"}}"#,
        "HEAD\n/xrpc/com.atproto.server.GETSERVICEAUTH?aud=did:web:a.example&lxm=a.b.c\nx\n",
    ].map(bytes)

    static let texts = [
        "https://pds.example.com:8443/a/b?c=d", "http://[::1]:80/", "alice.example.com", "@alice.test",
        "did:web:example.com%3A8443", "did:plc:ewvi7nxzyoun6zhxrhs64oiz", "app.bsky.feed.getTimeline",
        "repo:app.example.a?action=create&action=update", "rpc?lxm=*&aud=did:web:a.example%23svc",
        #"sh -c 'a "b" \c' "d e""#,
    ].map(bytes)

    /// A header, one question, one TXT record of its name with two strings.
    static let dns: [UInt8] =
        [0, 0, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0] + [8] + bytes("_atproto") + [5]
        + bytes("alice") + [4] + bytes("test") + [0, 0, 16, 0, 1]
        + [0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60, 0, 14, 4] + bytes("did=") + [8] + bytes("did:web:")

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    // MARK: Records

    /// Whose repository the samples are of.
    static let repository = "did:plc:qerzt44y65a3ev3ptbsiyw4u"
    static let repositoryKey = "zDnaeyaDhmam8NtnSHHpvyec8wTCchczHtTKeAGYTjYn21UUv"
    static let recordPath = "app.bsky.feed.post/key3"

    /// The proof of a record: the answer of `com.atproto.sync.getRecord` of the sandbox.
    static let car = base64(
        "OqJlcm9vdHOB2CpYJQABcRIgcULkFzDYEJNlFA7y5jvXIKNzfXktliizxv/f+GI2UbZndmVyc2lvbgHgAQFxEiBxQuQXMNgQ"
            + "k2UUDvLmO9cgo3N9eS2WKLPG/9/4YjZRtqZjZGlkeCBkaWQ6cGxjOnFlcnp0NDR5NjVhM2V2M3B0YnNpeXc0dWNyZXZtM24z"
            + "YzViMnp5encyMmNzaWdYQEi5Gx4QQzziTUeNu69vviW8OqrbUx129P+TAg6+9MQAR0AJRyBemDC3FXSQQpD5NtBjVzV9LGis"
            + "3Kco8C0rhFhkZGF0YdgqWCUAAXESIINyTNb3kmtOxIien8iSTFjjYtVchu2jUuqU1GwGziWBZHByZXb2Z3ZlcnNpb24DzwIB"
            + "cRIgg3JM1veSa07EiJ6fyJJMWONi1VyG7aNS6pTUbAbOJYGiYWWFpGFrV2FwcC5ic2t5LmZlZWQucG9zdC9rZXkxYXAAYXT2"
            + "YXbYKlglAAFxEiCV9/+GFTQQZ2stww/diY1bdVzTq62eVjJR4Tgu+VgMZaRha0EyYXAWYXT2YXbYKlglAAFxEiAN94n1PsXq"
            + "z0/nxVKSDK17hY5a9V2XMCYDazb4/k1BAaRha0EzYXAWYXT2YXbYKlglAAFxEiDKr8F8rUaBx4So9Fe7I+FIUoSbHLuVb6pn"
            + "dNt4CnKOuaRha0E0YXAWYXT2YXbYKlglAAFxEiDf+toS7nZefHJEGm0IH/UIKILR123JrJkhYa6K9iUB+KRha0E1YXAWYXT2"
            + "YXbYKlglAAFxEiDs8ntd7cjTvCpUaIF50mKx4zQK6Q/L1Qt4t6S1x1DGc2Fs9m8BcRIgyq/BfK1GgceEqPRXuyPhSFKEmxy7"
            + "lW+qZ3TbeApyjrmjZHRleHRnSGVsbG8gM2UkdHlwZXJhcHAuYnNreS5mZWVkLnBvc3RpY3JlYXRlZEF0eBgyMDI2LTExLTI3"
            + "VDEyOjAwOjIzLjEyM1o=")

    /// The first block of the proof.
    static let commit = base64(
        "pmNkaWR4IGRpZDpwbGM6cWVyenQ0NHk2NWEzZXYzcHRic2l5dzR1Y3Jldm0zbjNjNWIyenl6dzIyY3NpZ1hASLkbHhBDPOJN"
            + "R427r2++Jbw6qttTHXb0/5MCDr70xABHQAlHIF6YMLcVdJBCkPk20GNXNX0saKzcpyjwLSuEWGRkYXRh2CpYJQABcRIgg3JM"
            + "1veSa07EiJ6fyJJMWONi1VyG7aNS6pTUbAbOJYFkcHJldvZndmVyc2lvbgM=")

    /// A node of its tree.
    static let node = base64(
        "omFlhaRha1dhcHAuYnNreS5mZWVkLnBvc3Qva2V5MWFwAGF09mF22CpYJQABcRIglff/hhU0EGdrLcMP3YmNW3Vc06utnlYy"
            + "UeE4LvlYDGWkYWtBMmFwFmF09mF22CpYJQABcRIgDfeJ9T7F6s9P58VSkgyte4WOWvVdlzAmA2s2+P5NQQGkYWtBM2FwFmF0"
            + "9mF22CpYJQABcRIgyq/BfK1GgceEqPRXuyPhSFKEmxy7lW+qZ3TbeApyjrmkYWtBNGFwFmF09mF22CpYJQABcRIg3/raEu52"
            + "XnxyRBptCB/1CCiC0ddtyayZIWGuivYlAfikYWtBNWFwFmF09mF22CpYJQABcRIg7PJ7Xe3I07wqVGiBedJiseM0CukPy9UL"
            + "eLektcdQxnNhbPY=")

    /// The record.
    static let record = base64(
        "o2R0ZXh0Z0hlbGxvIDNlJHR5cGVyYXBwLmJza3kuZmVlZC5wb3N0aWNyZWF0ZWRBdHgYMjAyNi0xMS0yN1QxMjowMDoyMy4x"
            + "MjNa")

    static let lexicon = bytes(
        ##"{"lexicon":1,"id":"com.example.a","defs":{"main":{"type":"record","key":"tid","record":{"type":"object","##
            + ##""required":["text"],"nullable":["link"],"properties":{"text":{"type":"string","format":"uri","maxLength":9},"##
            + ##""link":{"type":"cid-link"},"list":{"type":"array","maxLength":3,"items":{"type":"ref","ref":"#part"}},"##
            + ##""any":{"type":"union","refs":["com.example.b"],"closed":true}}}},"part":{"type":"integer","minimum":-1}}}"##
    )

    static let permissionSet = bytes(
        #"{"lexicon":1,"id":"com.example.auth","defs":{"main":{"type":"permission-set","title":"A","permissions":["#
            + #"{"type":"permission","resource":"repo","collection":["com.example.a","com.example.b.c"],"action":["create"]},"#
            + #"{"type":"permission","resource":"rpc","aud":"*","lxm":["com.example.list"]},"#
            + #"{"type":"permission","resource":"rpc","inheritAud":true,"lxm":["com.example.get"]}]}}}"#)

    /// The audit log of a DID with one operation.
    static let auditLog = bytes(
        #"[{"did":"did:plc:ewvi7nxzyoun6zhxrhs64oiz","operation":{"type":"plc_operation","prev":null,"#
            + #""verificationMethods":{"atproto":"did:key:zDnaeYniq3zo4Rpx2os9CB37B1MXBHaBSapQ1mNb3TKAGTkGc"}},"#
            + #""nullified":false,"createdAt":"2026-11-27T11:59:39.921Z"}]"#)

    private static func base64(_ text: String) -> [UInt8] { Data(base64Encoded: text).map(Array.init) ?? [] }
}
