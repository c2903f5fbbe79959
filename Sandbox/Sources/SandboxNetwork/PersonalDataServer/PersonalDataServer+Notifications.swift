import Foundation

/// The notifications of an account, made from the records of others that name it. They are methods of the app view, as the timeline is.
extension PersonalDataServer {
    var notificationMethods: [String: XRPCMethod] {
        let list = "app.bsky.notification.listNotifications"
        let count = "app.bsky.notification.getUnreadCount"
        let seen = "app.bsky.notification.updateSeen"
        return [
            list: XRPCMethod(
                verb: .query, authorize: { (call) throws(XRPCFailure) in try requireCall(list, call) }
            ) { (call) throws(XRPCFailure) in
                let limit = try call.limit(default: 50, max: 100)
                let reasons = call.exchange.query.all("reasons")
                let (all, seenAt) = try await notifications(of: call)
                let rest = all.filter { notification in
                    (reasons.isEmpty || reasons.contains(notification.reason))
                        && (call.parameter("cursor").map { notification.place < $0 } ?? true)
                }
                let page = rest.prefix(limit)
                let cursor = rest.count > limit ? page.last?.place : nil
                var answer = Self.listing(
                    "notifications", page.map { view(of: $0, seenAt: seenAt) }, cursor: cursor)
                if let seenAt { answer.set(.string(seenAt.timestamp), at: "/seenAt") }
                return .json(answer)
            },
            count: XRPCMethod(
                verb: .query, authorize: { (call) throws(XRPCFailure) in try requireCall(count, call) }
            ) { (call) throws(XRPCFailure) in
                let (all, seenAt) = try await notifications(of: call)
                return .json(["count": JSONValue(all.count { !$0.isRead(seenAt) })])
            },
            seen: XRPCMethod(
                verb: .procedure, input: .json(required: ["seenAt"]),
                authorize: { (call) throws(XRPCFailure) in try requireCall(seen, call) }
            ) { (call) throws(XRPCFailure) in
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                guard let text = call.input["seenAt"]?.string,
                    let date = (try? style.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text))
                else { throw .invalidRequest("Error: Input/seenAt must be an valid atproto datetime") }
                await repositories.setSeen(date, by: try call.requireCaller().account.did)
                return Answer(status: 200)
            },
        ]
    }

    /// The notifications of the caller, newest first, and when the person last saw them.
    private func notifications(of call: XRPCCall) async throws(XRPCFailure) -> ([Notification], Date?) {
        let did = try call.requireCaller().account.did
        let records = await repositories.records(notBy: did)
        let found = records.compactMap { Notification($0, about: did) }
        return (found.sorted { $0.place > $1.place }, await repositories.seen(by: did))
    }

    private func view(of notification: Notification, seenAt: Date?) -> JSONValue {
        let record = notification.record
        var view: JSONValue = [
            "uri": .string(record.uri),
            "cid": .string(record.cid),
            "author": [
                "did": .string(record.did),
                "handle": .string(accounts.find(record.did)?.handle ?? "handle.invalid"),
            ],
            "reason": .string(notification.reason),
            "record": record.value,
            "isRead": .bool(notification.isRead(seenAt)),
            "indexedAt": .string(record.indexed.timestamp),
        ]
        if let subject = notification.subject { view.set(.string(subject), at: "/reasonSubject") }
        return view
    }

    /// A record of somebody else that is about an account.
    private struct Notification {
        let record: Repository.Record
        let reason: String
        /// The record of the account that it is about; nil for a follow and a mention.
        let subject: String?

        /// Sorts as the time does; two records have different ones.
        var place: String { "\(record.revision)/\(record.did)/\(record.path)" }

        func isRead(_ seenAt: Date?) -> Bool { seenAt.map { record.indexed <= $0 } ?? false }

        init?(_ record: Repository.Record, about did: String) {
            self.record = record
            let value = record.value
            func own(_ uri: JSONValue?) -> String? {
                uri?.string.flatMap { $0.hasPrefix("at://\(did)/") ? $0 : nil }
            }
            let about: (reason: String, subject: String?)?
            switch record.collection {
            case "app.bsky.feed.like": about = own(value["subject"]?["uri"]).map { ("like", $0) }
            case "app.bsky.feed.repost": about = own(value["subject"]?["uri"]).map { ("repost", $0) }
            case "app.bsky.graph.follow":
                about = value["subject"]?.string == did ? ("follow", nil) : nil
            case "app.bsky.feed.post":
                let features = (value["facets"]?.array ?? []).flatMap { $0["features"]?.array ?? [] }
                if let parent = own(value["reply"]?["parent"]?["uri"]) {
                    about = ("reply", parent)
                } else if let quoted = own(value["embed"]?["record"]?["uri"]) {
                    about = ("quote", quoted)
                } else {
                    about = features.contains { $0["did"]?.string == did } ? ("mention", nil) : nil
                }
            default: about = nil
            }
            guard let about else { return nil }
            (reason, subject) = about
        }
    }
}
