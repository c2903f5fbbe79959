extension XRPCRequest {
    /// Whether it may be sent again when nobody knows what became of it the first time: queries, and procedures
    /// that leave behind the same whether they are called once or twice.
    ///
    /// Lexicons have no field for this. The procedures are those that by their public lexicon set or take away
    /// what their input names, or that it calls idempotent. A name of another lexicon proves nothing, whatever
    /// its verb.
    package var isIdempotent: Bool {
        method == .query || Self.idempotentProcedures.contains(nsid.description)
    }

    /// By their names.
    package static let idempotentProcedures: Set<String> = [
        // The record is there with that content; it is not there; and a blob is named by its bytes.
        "com.atproto.repo.putRecord", "com.atproto.repo.deleteRecord", "com.atproto.repo.uploadBlob",
        "com.atproto.identity.updateHandle",
        "app.bsky.actor.putPreferences",
        "app.bsky.bookmark.deleteBookmark",
        "app.bsky.graph.muteActor", "app.bsky.graph.unmuteActor",
        "app.bsky.graph.muteActorList", "app.bsky.graph.unmuteActorList",
        "app.bsky.graph.muteThread", "app.bsky.graph.unmuteThread",
        "app.bsky.notification.putActivitySubscription", "app.bsky.notification.putPreferences",
        "app.bsky.notification.putPreferencesV2", "app.bsky.notification.updateSeen",
        "chat.bsky.convo.muteConvo", "chat.bsky.convo.unmuteConvo",
        // "It is idempotent, so multiple calls from the same user with the same emoji result in a single reaction."
        "chat.bsky.convo.addReaction", "chat.bsky.convo.removeReaction",
    ]
}
