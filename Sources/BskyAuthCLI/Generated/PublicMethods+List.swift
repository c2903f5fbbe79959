// Written by scripts/dev/generate from Tests/Fixtures/lexicons.json.

extension PublicMethods {
    /// What the names of an authority begin with, and then how each ends.
    static let list = """
        app.bsky.actor. getPreferences getProfile getProfiles getSuggestions putPreferences searchActors
          searchActorsTypeahead
        app.bsky.ageassurance. begin getConfig getState
        app.bsky.bookmark. createBookmark deleteBookmark getBookmarks
        app.bsky.contact. dismissMatch getMatches getSyncStatus importContacts removeData sendNotification
          startPhoneVerification verifyPhone
        app.bsky.draft. createDraft deleteDraft getDrafts updateDraft
        app.bsky.embed. getEmbedExternalView
        app.bsky.feed. describeFeedGenerator getActorFeeds getActorLikes getAuthorFeed getFeed
          getFeedGenerator getFeedGenerators getFeedSkeleton getLikes getListFeed getPostThread getPosts
          getQuotes getRepostedBy getSuggestedFeeds getTimeline searchPosts searchPostsV2 sendInteractions
        app.bsky.graph. getActorStarterPacks getBlocks getFollowers getFollows getKnownFollowers getList
          getListBlocks getListMutes getLists getListsWithMembership getMutes getRelationships
          getStarterPack getStarterPacks getStarterPacksWithMembership getSuggestedFollowsByActor muteActor
          muteActorList muteThread searchStarterPacks searchStarterPacksV2 unmuteActor unmuteActorList
          unmuteThread
        app.bsky.labeler. getServices
        app.bsky.notification. getPreferences getUnreadCount listActivitySubscriptions listNotifications
          putActivitySubscription putPreferences putPreferencesV2 registerPush unregisterPush updateSeen
        app.bsky.unspecced. getAgeAssuranceState getConfig getOnboardingSuggestedStarterPacks
          getOnboardingSuggestedStarterPacksSkeleton getOnboardingSuggestedUsersSkeleton
          getPopularFeedGenerators getPostThreadOtherV2 getPostThreadV2 getSuggestedFeeds
          getSuggestedFeedsSkeleton getSuggestedOnboardingUsers getSuggestedStarterPacks
          getSuggestedStarterPacksSkeleton getSuggestedUsers getSuggestedUsersForDiscover
          getSuggestedUsersForDiscoverSkeleton getSuggestedUsersForExplore
          getSuggestedUsersForExploreSkeleton getSuggestedUsersForSeeMore
          getSuggestedUsersForSeeMoreSkeleton getSuggestedUsersSkeleton getSuggestionsSkeleton
          getTaggedSuggestions getTrendingTopics getTrends getTrendsSkeleton initAgeAssurance
          searchActorsSkeleton searchPostsSkeleton searchStarterPacksSkeleton
        app.bsky.video. abortUpload finishUpload getJobStatus getUploadLimits getUploadStatus startUpload
          uploadPart uploadVideo
        chat.bsky.actor. deleteAccount exportAccountData getStatus
        chat.bsky.convo. acceptConvo addReaction deleteMessageForSelf getConvo getConvoAvailability
          getConvoForMembers getConvoMembers getLog getMessages getUnreadCounts leaveConvo listConvoRequests
          listConvos lockConvo muteConvo removeReaction sendMessage sendMessageBatch unlockConvo unmuteConvo
          updateAllRead updateRead
        chat.bsky.group. addMembers approveJoinRequest createGroup createJoinLink disableJoinLink editGroup
          editJoinLink enableJoinLink getJoinLinkPreviews listJoinRequests listMutualGroups
          rejectJoinRequest removeMembers requestJoin updateJoinRequestsRead withdrawJoinRequest
        chat.bsky.moderation. getActorMetadata getConvo getConvoMembers getConvos getMessageContext
          updateActorAccess
        chat.bsky.notification. getPreferences putPreferences
        com.atproto.admin. deleteAccount disableAccountInvites disableInviteCodes enableAccountInvites
          getAccountInfo getAccountInfos getInviteCodes getSubjectStatus searchAccounts sendEmail
          updateAccountEmail updateAccountHandle updateAccountPassword updateAccountSigningKey
          updateSubjectStatus
        com.atproto.identity. getRecommendedDidCredentials refreshIdentity requestPlcOperationSignature
          resolveDid resolveHandle resolveIdentity signPlcOperation submitPlcOperation updateHandle
        com.atproto.label. queryLabels
        com.atproto.lexicon. resolveLexicon
        com.atproto.moderation. createReport
        com.atproto.repo. applyWrites createRecord deleteRecord describeRepo getRecord importRepo
          listMissingBlobs listRecords putRecord uploadBlob
        com.atproto.server. activateAccount checkAccountStatus confirmEmail createAccount createAppPassword
          createInviteCode createInviteCodes createSession deactivateAccount deleteAccount deleteSession
          describeServer getAccountInviteCodes getServiceAuth getSession listAppPasswords refreshSession
          requestAccountDelete requestEmailConfirmation requestEmailUpdate requestPasswordReset
          reserveSigningKey resetPassword revokeAppPassword updateEmail
        com.atproto.sync. getBlob getBlocks getCheckout getHead getHostStatus getLatestCommit getRecord
          getRepo getRepoStatus listBlobs listHosts listRepos listReposByCollection notifyOfUpdate
          requestCrawl
        com.atproto.temp. addReservedHandle checkHandleAvailability checkSignupQueue dereferenceScope
          fetchLabels requestPhoneVerification revokeAccountCredentials
        internal.bsky.actor. getProfiles
        tools.ozone.communication. createTemplate deleteTemplate listTemplates updateTemplate
        tools.ozone.hosting. getAccountHistory
        tools.ozone.moderation. cancelScheduledActions emitEvent getAccountTimeline getEvent getRecord
          getRecords getRepo getReporterStats getRepos getSubjects listScheduledActions queryEvents
          queryStatuses scheduleAction searchRepos
        tools.ozone.queue. assignModerator createQueue deleteQueue getAssignments listQueues routeReports
          unassignModerator updateQueue
        tools.ozone.report. assignModerator closeReports createActivity getAssignments getHistoricalStats
          getLatestReport getLiveStats getReport listActivities queryActivities queryReports reassignQueue
          refreshStats unassignModerator
        tools.ozone.safelink. addRule queryEvents queryRules removeRule updateRule
        tools.ozone.server. getConfig
        tools.ozone.set. addValues deleteSet deleteValues getValues querySets upsertSet
        tools.ozone.setting. listOptions removeOptions upsertOption
        tools.ozone.signature. findCorrelation findRelatedAccounts searchAccounts
        tools.ozone.team. addMember deleteMember listMembers updateMember
        tools.ozone.verification. grantVerifications listVerifications revokeVerifications
        """
}
