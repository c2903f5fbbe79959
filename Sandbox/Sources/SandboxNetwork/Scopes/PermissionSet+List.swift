// Written by scripts/dev/generate from Tests/Fixtures/lexicons.json.

extension PermissionSet {
    /// The published sets, one per line: the name and the definition.
    static let published = #"""
        app.bsky.authCreatePosts {"type": "permission-set", "title": "Create Bluesky Posts", \#
        "permissions": [{"type": "permission", "resource": "rpc", "inheritAud": true, "lxm": \#
        ["app.bsky.video.uploadVideo", "app.bsky.video.getJobStatus", \#
        "app.bsky.video.getUploadLimits", "app.bsky.video.startUpload", "app.bsky.video.uploadPart", \#
        "app.bsky.video.finishUpload", "app.bsky.video.abortUpload", \#
        "app.bsky.video.getUploadStatus"]}, {"type": "permission", "resource": "repo", "action": \#
        ["create"], "collection": ["app.bsky.feed.post", "app.bsky.feed.postgate", \#
        "app.bsky.feed.threadgate"]}]}
        app.bsky.authDeleteContent {"type": "permission-set", "title": "Delete Bluesky Content", \#
        "permissions": [{"type": "permission", "resource": "repo", "action": ["delete"], "collection": \#
        ["app.bsky.feed.like", "app.bsky.feed.post", "app.bsky.feed.postgate", "app.bsky.feed.repost", \#
        "app.bsky.feed.threadgate"]}]}
        app.bsky.authFullApp {"type": "permission-set", "title": "Full Bluesky Social App \#
        Permissions", "permissions": [{"type": "permission", "resource": "rpc", "inheritAud": true, \#
        "lxm": ["app.bsky.actor.getPreferences", "app.bsky.actor.getProfile", \#
        "app.bsky.actor.getProfiles", "app.bsky.actor.getSuggestions", \#
        "app.bsky.actor.putPreferences", "app.bsky.actor.searchActors", \#
        "app.bsky.actor.searchActorsTypeahead", "app.bsky.bookmark.createBookmark", \#
        "app.bsky.bookmark.deleteBookmark", "app.bsky.bookmark.getBookmarks", \#
        "app.bsky.contact.dismissMatch", "app.bsky.contact.getMatches", \#
        "app.bsky.contact.getSyncStatus", "app.bsky.contact.importContacts", \#
        "app.bsky.contact.removeData", "app.bsky.contact.startPhoneVerification", \#
        "app.bsky.contact.verifyPhone", "app.bsky.feed.describeFeedGenerator", \#
        "app.bsky.feed.getActorFeeds", "app.bsky.feed.getActorLikes", "app.bsky.feed.getAuthorFeed", \#
        "app.bsky.feed.getFeed", "app.bsky.feed.getFeedGenerator", "app.bsky.feed.getFeedGenerators", \#
        "app.bsky.feed.getFeedSkeleton", "app.bsky.feed.getLikes", "app.bsky.feed.getListFeed", \#
        "app.bsky.feed.getPostThread", "app.bsky.feed.getPosts", "app.bsky.feed.getQuotes", \#
        "app.bsky.feed.getRepostedBy", "app.bsky.feed.getSuggestedFeeds", "app.bsky.feed.getTimeline", \#
        "app.bsky.feed.searchPosts", "app.bsky.feed.searchPostsV2", "app.bsky.feed.sendInteractions", \#
        "app.bsky.graph.getActorStarterPacks", "app.bsky.graph.getBlocks", \#
        "app.bsky.graph.getFollowers", "app.bsky.graph.getFollows", \#
        "app.bsky.graph.getKnownFollowers", "app.bsky.graph.getList", "app.bsky.graph.getListBlocks", \#
        "app.bsky.graph.getListMutes", "app.bsky.graph.getLists", \#
        "app.bsky.graph.getListsWithMembership", "app.bsky.graph.getMutes", \#
        "app.bsky.graph.getRelationships", "app.bsky.graph.getStarterPack", \#
        "app.bsky.graph.getStarterPacks", "app.bsky.graph.getStarterPacksWithMembership", \#
        "app.bsky.graph.getSuggestedFollowsByActor", "app.bsky.graph.muteActor", \#
        "app.bsky.graph.muteActorList", "app.bsky.graph.muteThread", \#
        "app.bsky.graph.searchStarterPacks", "app.bsky.graph.searchStarterPacksV2", \#
        "app.bsky.graph.unmuteActor", "app.bsky.graph.unmuteActorList", "app.bsky.graph.unmuteThread", \#
        "app.bsky.labeler.getServices", "app.bsky.notification.getPreferences", \#
        "app.bsky.notification.getUnreadCount", "app.bsky.notification.listActivitySubscriptions", \#
        "app.bsky.notification.listNotifications", "app.bsky.notification.putActivitySubscription", \#
        "app.bsky.notification.putPreferences", "app.bsky.notification.putPreferencesV2", \#
        "app.bsky.notification.registerPush", "app.bsky.notification.unregisterPush", \#
        "app.bsky.notification.updateSeen", "app.bsky.unspecced.getAgeAssuranceState", \#
        "app.bsky.unspecced.getConfig", "app.bsky.unspecced.getOnboardingSuggestedStarterPacks", \#
        "app.bsky.unspecced.getPopularFeedGenerators", "app.bsky.unspecced.getPostThreadOtherV2", \#
        "app.bsky.unspecced.getPostThreadV2", "app.bsky.unspecced.getSuggestedFeeds", \#
        "app.bsky.unspecced.getSuggestedFeedsSkeleton", "app.bsky.unspecced.getSuggestedStarterPacks", \#
        "app.bsky.unspecced.getSuggestedStarterPacksSkeleton", "app.bsky.unspecced.getSuggestedUsers", \#
        "app.bsky.unspecced.getSuggestedUsersSkeleton", "app.bsky.unspecced.getSuggestionsSkeleton", \#
        "app.bsky.unspecced.getTaggedSuggestions", "app.bsky.unspecced.getTrendingTopics", \#
        "app.bsky.unspecced.getTrends", "app.bsky.unspecced.getTrendsSkeleton", \#
        "app.bsky.unspecced.initAgeAssurance", "app.bsky.unspecced.searchActorsSkeleton", \#
        "app.bsky.unspecced.searchPostsSkeleton", "app.bsky.unspecced.searchStarterPacksSkeleton", \#
        "app.bsky.video.getJobStatus", "app.bsky.video.getUploadLimits", "app.bsky.video.uploadVideo", \#
        "app.bsky.video.startUpload", "app.bsky.video.uploadPart", "app.bsky.video.finishUpload", \#
        "app.bsky.video.abortUpload", "app.bsky.video.getUploadStatus"]}, {"type": "permission", \#
        "resource": "repo", "action": ["create", "update", "delete"], "collection": \#
        ["app.bsky.actor.profile", "app.bsky.actor.status", "app.bsky.feed.like", \#
        "app.bsky.feed.post", "app.bsky.feed.postgate", "app.bsky.feed.repost", \#
        "app.bsky.feed.threadgate", "app.bsky.graph.block", "app.bsky.graph.follow", \#
        "app.bsky.graph.list", "app.bsky.graph.listblock", "app.bsky.graph.listitem", \#
        "app.bsky.graph.starterpack", "app.bsky.notification.declaration"]}]}
        app.bsky.authManageFeedDeclarations {"type": "permission-set", "title": "Manage Hosted Feeds", \#
        "permissions": [{"type": "permission", "resource": "repo", "action": ["create", "update", \#
        "delete"], "collection": ["app.bsky.feed.generator"]}]}
        app.bsky.authManageLabelerService {"type": "permission-set", "title": "Manage Hosted Labeling \#
        Service", "permissions": [{"type": "permission", "resource": "repo", "action": ["create", \#
        "update", "delete"], "collection": ["app.bsky.labeler.service"]}]}
        app.bsky.authManageModeration {"type": "permission-set", "title": "Manage Personal \#
        Moderation", "permissions": [{"type": "permission", "resource": "rpc", "inheritAud": true, \#
        "lxm": ["app.bsky.actor.getPreferences", "app.bsky.actor.putPreferences", \#
        "app.bsky.graph.muteActor", "app.bsky.graph.muteActorList", "app.bsky.graph.muteThread", \#
        "app.bsky.graph.unmuteActor", "app.bsky.graph.unmuteActorList", \#
        "app.bsky.graph.unmuteThread"]}, {"type": "permission", "resource": "repo", "action": \#
        ["create", "update", "delete"], "collection": ["app.bsky.graph.block", \#
        "app.bsky.graph.listblock"]}]}
        app.bsky.authManageNotifications {"type": "permission-set", "title": "Manage Bluesky \#
        Notifications", "permissions": [{"type": "permission", "resource": "rpc", "inheritAud": true, \#
        "lxm": ["app.bsky.notification.getPreferences", "app.bsky.notification.getUnreadCount", \#
        "app.bsky.notification.listActivitySubscriptions", "app.bsky.notification.listNotifications", \#
        "app.bsky.notification.putActivitySubscription", "app.bsky.notification.putPreferences", \#
        "app.bsky.notification.putPreferencesV2", "app.bsky.notification.registerPush", \#
        "app.bsky.notification.unregisterPush", "app.bsky.notification.updateSeen"]}]}
        app.bsky.authManageProfile {"type": "permission-set", "title": "Manage Bluesky Profile", \#
        "permissions": [{"type": "permission", "resource": "repo", "action": ["create", "update", \#
        "delete"], "collection": ["app.bsky.actor.profile", "app.bsky.actor.status", \#
        "app.bsky.notification.declaration"]}]}
        app.bsky.authViewAll {"type": "permission-set", "title": "Read-only access to all content", \#
        "permissions": [{"type": "permission", "resource": "rpc", "inheritAud": true, "lxm": \#
        ["app.bsky.actor.getPreferences", "app.bsky.actor.getProfile", "app.bsky.actor.getProfiles", \#
        "app.bsky.actor.getSuggestions", "app.bsky.actor.searchActors", \#
        "app.bsky.actor.searchActorsTypeahead", "app.bsky.bookmark.getBookmarks", \#
        "app.bsky.feed.describeFeedGenerator", "app.bsky.feed.getActorFeeds", \#
        "app.bsky.feed.getActorLikes", "app.bsky.feed.getAuthorFeed", "app.bsky.feed.getFeed", \#
        "app.bsky.feed.getFeedGenerator", "app.bsky.feed.getFeedGenerators", \#
        "app.bsky.feed.getFeedSkeleton", "app.bsky.feed.getLikes", "app.bsky.feed.getListFeed", \#
        "app.bsky.feed.getPostThread", "app.bsky.feed.getPosts", "app.bsky.feed.getQuotes", \#
        "app.bsky.feed.getRepostedBy", "app.bsky.feed.getSuggestedFeeds", "app.bsky.feed.getTimeline", \#
        "app.bsky.feed.searchPosts", "app.bsky.feed.searchPostsV2", \#
        "app.bsky.graph.getActorStarterPacks", "app.bsky.graph.getBlocks", \#
        "app.bsky.graph.getFollowers", "app.bsky.graph.getFollows", \#
        "app.bsky.graph.getKnownFollowers", "app.bsky.graph.getListBlocks", \#
        "app.bsky.graph.getListMutes", "app.bsky.graph.getLists", \#
        "app.bsky.graph.getListsWithMembership", "app.bsky.graph.getMutes", \#
        "app.bsky.graph.getRelationships", "app.bsky.graph.getStarterPack", \#
        "app.bsky.graph.getStarterPacks", "app.bsky.graph.getStarterPacksWithMembership", \#
        "app.bsky.graph.getSuggestedFollowsByActor", "app.bsky.graph.searchStarterPacks", \#
        "app.bsky.graph.searchStarterPacksV2", "app.bsky.labeler.getServices", \#
        "app.bsky.notification.getPreferences", "app.bsky.notification.getUnreadCount", \#
        "app.bsky.notification.listActivitySubscriptions", "app.bsky.notification.listNotifications", \#
        "app.bsky.notification.updateSeen", "app.bsky.unspecced.getAgeAssuranceState", \#
        "app.bsky.unspecced.getConfig", "app.bsky.unspecced.getOnboardingSuggestedStarterPacks", \#
        "app.bsky.unspecced.getPopularFeedGenerators", "app.bsky.unspecced.getPostThreadOtherV2", \#
        "app.bsky.unspecced.getPostThreadV2", "app.bsky.unspecced.getSuggestedFeeds", \#
        "app.bsky.unspecced.getSuggestedFeedsSkeleton", "app.bsky.unspecced.getSuggestedStarterPacks", \#
        "app.bsky.unspecced.getSuggestedStarterPacksSkeleton", "app.bsky.unspecced.getSuggestedUsers", \#
        "app.bsky.unspecced.getSuggestedUsersSkeleton", "app.bsky.unspecced.getSuggestionsSkeleton", \#
        "app.bsky.unspecced.getTaggedSuggestions", "app.bsky.unspecced.getTrendingTopics", \#
        "app.bsky.unspecced.getTrends", "app.bsky.unspecced.getTrendsSkeleton", \#
        "app.bsky.unspecced.searchActorsSkeleton", "app.bsky.unspecced.searchPostsSkeleton", \#
        "app.bsky.unspecced.searchStarterPacksSkeleton", "app.bsky.video.getUploadLimits"]}]}
        chat.bsky.authFullChatClient {"type": "permission-set", "title": "Full Chat Client (All \#
        Conversations)", "permissions": [{"type": "permission", "resource": "rpc", "inheritAud": true, \#
        "lxm": ["chat.bsky.actor.deleteAccount", "chat.bsky.actor.getStatus", \#
        "chat.bsky.convo.acceptConvo", "chat.bsky.convo.addReaction", \#
        "chat.bsky.convo.deleteMessageForSelf", "chat.bsky.convo.exportAccountData", \#
        "chat.bsky.convo.getConvo", "chat.bsky.convo.getConvoAvailability", \#
        "chat.bsky.convo.getConvoForMembers", "chat.bsky.convo.getConvoMembers", \#
        "chat.bsky.convo.getLog", "chat.bsky.convo.getMessages", "chat.bsky.convo.leaveConvo", \#
        "chat.bsky.convo.listConvoRequests", "chat.bsky.convo.listConvos", \#
        "chat.bsky.convo.lockConvo", "chat.bsky.convo.muteConvo", "chat.bsky.convo.removeReaction", \#
        "chat.bsky.convo.sendMessage", "chat.bsky.convo.sendMessageBatch", \#
        "chat.bsky.convo.unlockConvo", "chat.bsky.convo.unmuteConvo", "chat.bsky.convo.updateAllRead", \#
        "chat.bsky.convo.updateRead", "chat.bsky.group.addMembers", \#
        "chat.bsky.group.approveJoinRequest", "chat.bsky.group.createGroup", \#
        "chat.bsky.group.createJoinLink", "chat.bsky.group.disableJoinLink", \#
        "chat.bsky.group.editGroup", "chat.bsky.group.editJoinLink", "chat.bsky.group.enableJoinLink", \#
        "chat.bsky.group.getJoinLinkPreviews", "chat.bsky.group.listJoinRequests", \#
        "chat.bsky.group.listMutualGroups", "chat.bsky.group.rejectJoinRequest", \#
        "chat.bsky.group.removeMembers", "chat.bsky.group.requestJoin", \#
        "chat.bsky.group.withdrawJoinRequest"]}, {"type": "permission", "resource": "repo", "action": \#
        ["create", "update", "delete"], "collection": ["chat.bsky.actor.declaration"]}]}
        """#
}
