// Written by scripts/dev/generate from Tests/Fixtures/lexicons.json.

extension PublicMethods {
    /// The month of the lexicons.
    package static let edition = "August 2026"

    /// What the names of methods begin with.
    package static let authorities = [
        "app.bsky.actor", "app.bsky.ageassurance", "app.bsky.bookmark", "app.bsky.contact",
        "app.bsky.draft", "app.bsky.embed", "app.bsky.feed", "app.bsky.graph", "app.bsky.labeler",
        "app.bsky.notification", "app.bsky.unspecced", "app.bsky.video", "chat.bsky.actor",
        "chat.bsky.convo", "chat.bsky.group", "chat.bsky.moderation", "chat.bsky.notification",
        "com.atproto.admin", "com.atproto.identity", "com.atproto.label", "com.atproto.lexicon",
        "com.atproto.moderation", "com.atproto.repo", "com.atproto.server", "com.atproto.sync",
        "com.atproto.temp", "internal.bsky.actor", "tools.ozone.communication", "tools.ozone.hosting",
        "tools.ozone.moderation", "tools.ozone.queue", "tools.ozone.report", "tools.ozone.safelink",
        "tools.ozone.server", "tools.ozone.set", "tools.ozone.setting", "tools.ozone.signature",
        "tools.ozone.team", "tools.ozone.verification",
    ]

    /// The methods of an authority, one per line; nil for an authority without methods.
    static func list(of authority: String) -> String? {
        switch authority {
        case "app.bsky.actor":
            """
            ?getPreferences >json
            ?getProfile actor:s* >json
            ?getProfiles actors:[s]* >json
            ?getSuggestions limit:i cursor:s >json @actors
            !putPreferences <json
            ?searchActors term:s q:s limit:i cursor:s >json @actors
            ?searchActorsTypeahead term:s q:s limit:i >json
            """
        case "app.bsky.ageassurance":
            """
            !begin <json >json
            ?getConfig >json
            ?getState countryCode:s* regionCode:s >json
            """
        case "app.bsky.bookmark":
            """
            !createBookmark <json
            !deleteBookmark <json
            ?getBookmarks limit:i cursor:s >json @bookmarks
            """
        case "app.bsky.contact":
            """
            !dismissMatch <json >json
            ?getMatches limit:i cursor:s >json @matches
            ?getSyncStatus >json
            !importContacts <json >json
            !removeData <json >json
            !sendNotification <json >json
            !startPhoneVerification <json >json
            !verifyPhone <json >json
            """
        case "app.bsky.draft":
            """
            !createDraft <json >json
            !deleteDraft <json
            ?getDrafts limit:i cursor:s >json @drafts
            !updateDraft <json
            """
        case "app.bsky.embed":
            """
            ?getEmbedExternalView url:s* uris:[s]* >json
            """
        case "app.bsky.feed":
            """
            ?describeFeedGenerator >json
            ?getActorFeeds actor:s* limit:i cursor:s >json @feeds
            ?getActorLikes actor:s* limit:i cursor:s >json @feed
            ?getAuthorFeed actor:s* limit:i cursor:s filter:s includePins:b >json @feed
            ?getFeed feed:s* limit:i cursor:s >json @feed
            ?getFeedGenerator feed:s* >json
            ?getFeedGenerators feeds:[s]* >json
            ?getFeedSkeleton feed:s* limit:i cursor:s >json @feed
            ?getLikes uri:s* cid:s limit:i cursor:s >json @likes
            ?getListFeed list:s* limit:i cursor:s >json @feed
            ?getPostThread uri:s* depth:i parentHeight:i >json
            ?getPosts uris:[s]* >json
            ?getQuotes uri:s* cid:s limit:i cursor:s >json @posts
            ?getRepostedBy uri:s* cid:s limit:i cursor:s >json @repostedBy
            ?getSuggestedFeeds limit:i cursor:s >json @feeds
            ?getTimeline algorithm:s limit:i cursor:s >json @feed
            ?searchPosts q:s* sort:s since:s until:s mentions:s author:s lang:s domain:s url:s tag:[s] \
              limit:i cursor:s >json @posts
            ?searchPostsV2 cursor:s limit:i query:s sort:s authors:[s] mentions:[s] domains:[s] urls:[s] \
              embeddedAtUris:[s] hashtags:[s] excludeAuthors:[s] excludeMentions:[s] excludeDomains:[s] \
              excludeUrls:[s] excludeEmbeddedAtUris:[s] excludeHashtags:[s] since:s until:s allTime:b \
              languages:[s] excludeLanguages:[s] hasMedia:b hasVideo:b replyParentUri:s threadRootUri:s \
              excludeReplies:b repliesOnly:b following:b queryLanguage:s >json @posts \
              @detectedQueryLanguages
            !sendInteractions <json >json
            """
        case "app.bsky.graph":
            """
            ?getActorStarterPacks actor:s* limit:i cursor:s >json @starterPacks
            ?getBlocks limit:i cursor:s >json @blocks
            ?getFollowers actor:s* limit:i cursor:s sort:s >json @followers
            ?getFollows actor:s* limit:i cursor:s sort:s >json @follows
            ?getKnownFollowers actor:s* limit:i cursor:s >json @followers
            ?getList list:s* limit:i cursor:s >json @items
            ?getListBlocks limit:i cursor:s >json @lists
            ?getListMutes limit:i cursor:s >json @lists
            ?getLists actor:s* limit:i cursor:s purposes:[s] >json @lists
            ?getListsWithMembership actor:s* limit:i cursor:s purposes:[s] >json @listsWithMembership
            ?getMutes limit:i cursor:s >json @mutes
            ?getRelationships actor:s* others:[s] >json
            ?getStarterPack starterPack:s* >json
            ?getStarterPacks uris:[s]* >json
            ?getStarterPacksWithMembership actor:s* limit:i cursor:s >json @starterPacksWithMembership
            ?getSuggestedFollowsByActor actor:s* >json
            !muteActor <json
            !muteActorList <json
            !muteThread <json
            ?searchStarterPacks q:s* limit:i cursor:s >json @starterPacks
            ?searchStarterPacksV2 q:s* limit:i cursor:s >json @starterPacks
            !unmuteActor <json
            !unmuteActorList <json
            !unmuteThread <json
            """
        case "app.bsky.labeler":
            """
            ?getServices dids:[s]* detailed:b >json
            """
        case "app.bsky.notification":
            """
            ?getPreferences >json
            ?getUnreadCount priority:b seenAt:s >json
            ?listActivitySubscriptions limit:i cursor:s >json @subscriptions
            ?listNotifications reasons:[s] limit:i priority:b cursor:s seenAt:s >json @notifications
            !putActivitySubscription <json >json
            !putPreferences <json
            !putPreferencesV2 <json >json
            !registerPush <json
            !unregisterPush <json
            !updateSeen <json
            """
        case "app.bsky.unspecced":
            """
            ?getAgeAssuranceState >json
            ?getConfig >json
            ?getOnboardingSuggestedStarterPacks limit:i >json
            ?getOnboardingSuggestedStarterPacksSkeleton viewer:s limit:i >json
            ?getOnboardingSuggestedUsersSkeleton viewer:s category:s limit:i >json
            ?getPopularFeedGenerators limit:i cursor:s query:s >json @feeds
            ?getPostThreadOtherV2 anchor:s* >json
            ?getPostThreadV2 anchor:s* above:b below:i branchingFactor:i sort:s >json
            ?getSuggestedFeeds limit:i >json
            ?getSuggestedFeedsSkeleton viewer:s limit:i >json
            ?getSuggestedOnboardingUsers category:s limit:i >json
            ?getSuggestedStarterPacks limit:i >json
            ?getSuggestedStarterPacksSkeleton viewer:s limit:i >json
            ?getSuggestedUsers category:s limit:i >json
            ?getSuggestedUsersForDiscover limit:i >json
            ?getSuggestedUsersForDiscoverSkeleton viewer:s limit:i >json
            ?getSuggestedUsersForExplore category:s limit:i >json
            ?getSuggestedUsersForExploreSkeleton viewer:s category:s limit:i >json
            ?getSuggestedUsersForSeeMore category:s limit:i >json
            ?getSuggestedUsersForSeeMoreSkeleton viewer:s category:s limit:i >json
            ?getSuggestedUsersSkeleton viewer:s category:s limit:i >json
            ?getSuggestionsSkeleton viewer:s limit:i cursor:s relativeToDid:s >json @actors
            ?getTaggedSuggestions >json
            ?getTrendingTopics viewer:s limit:i >json
            ?getTrends limit:i >json
            ?getTrendsSkeleton viewer:s limit:i >json
            !initAgeAssurance <json >json
            ?searchActorsSkeleton q:s* viewer:s typeahead:b limit:i cursor:s >json @actors
            ?searchPostsSkeleton q:s* sort:s since:s until:s mentions:s author:s lang:s domain:s url:s \
              tag:[s] viewer:s limit:i cursor:s >json @posts
            ?searchStarterPacksSkeleton q:s* viewer:s limit:i cursor:s >json @starterPacks
            """
        case "app.bsky.video":
            """
            !abortUpload <json >json
            !finishUpload <json >json
            ?getJobStatus jobId:s* >json
            ?getUploadLimits >json
            ?getUploadStatus jobId:s* >json
            !startUpload <json >json
            !uploadPart jobId:s* partNumber:i* <application/octet-stream >json
            !uploadVideo <video/mp4 >json
            """
        case "chat.bsky.actor":
            """
            !deleteAccount >json
            ?exportAccountData >application/jsonl
            ?getStatus >json
            """
        case "chat.bsky.convo":
            """
            !acceptConvo <json >json
            !addReaction <json >json
            !deleteMessageForSelf <json >json
            ?getConvo convoId:s* >json
            ?getConvoAvailability members:[s]* >json
            ?getConvoForMembers members:[s]* >json
            ?getConvoMembers convoId:s* limit:i cursor:s >json @members
            ?getLog cursor:s >json @logs
            ?getMessages convoId:s* limit:i cursor:s >json @messages @relatedProfiles
            ?getUnreadCounts includeGroupChats:b >json
            !leaveConvo <json >json
            ?listConvoRequests limit:i cursor:s >json @requests
            ?listConvos limit:i cursor:s readState:s status:s kind:s lockStatus:s >json @convos
            !lockConvo <json >json
            !muteConvo <json >json
            !removeReaction <json >json
            !sendMessage <json >json
            !sendMessageBatch <json >json
            !unlockConvo <json >json
            !unmuteConvo <json >json
            !updateAllRead <json >json
            !updateRead <json >json
            """
        case "chat.bsky.group":
            """
            !addMembers <json >json
            !approveJoinRequest <json >json
            !createGroup <json >json
            !createJoinLink <json >json
            !disableJoinLink <json >json
            !editGroup <json >json
            !editJoinLink <json >json
            !enableJoinLink <json >json
            ?getJoinLinkPreviews codes:[s]* >json
            ?listJoinRequests convoId:s* limit:i cursor:s >json @requests
            ?listMutualGroups subject:s* limit:i cursor:s >json @convos
            !rejectJoinRequest <json >json
            !removeMembers <json >json
            !requestJoin <json >json
            !updateJoinRequestsRead <json >json
            !withdrawJoinRequest <json >json
            """
        case "chat.bsky.moderation":
            """
            ?getActorMetadata actor:s* >json
            ?getConvo convoId:s* >json
            ?getConvoMembers convoId:s* limit:i cursor:s >json @members
            ?getConvos convoIds:[s]* >json
            ?getMessageContext convoId:s messageId:s* before:i after:i maxInterleavedSystemMessages:i \
              >json
            !updateActorAccess <json
            """
        case "chat.bsky.notification":
            """
            ?getPreferences >json
            !putPreferences <json >json
            """
        case "com.atproto.admin":
            """
            !deleteAccount <json
            !disableAccountInvites <json
            !disableInviteCodes <json
            !enableAccountInvites <json
            ?getAccountInfo did:s* >json
            ?getAccountInfos dids:[s]* >json
            ?getInviteCodes sort:s limit:i cursor:s >json @codes
            ?getSubjectStatus did:s uri:s blob:s >json
            ?searchAccounts email:s cursor:s limit:i >json @accounts
            !sendEmail <json >json
            !updateAccountEmail <json
            !updateAccountHandle <json
            !updateAccountPassword <json
            !updateAccountSigningKey <json
            !updateSubjectStatus <json >json
            """
        case "com.atproto.identity":
            """
            ?getRecommendedDidCredentials >json
            !refreshIdentity <json >json
            !requestPlcOperationSignature
            ?resolveDid did:s* >json
            ?resolveHandle handle:s* >json
            ?resolveIdentity identifier:s* >json
            !signPlcOperation <json >json
            !submitPlcOperation <json
            !updateHandle <json
            """
        case "com.atproto.label":
            """
            ?queryLabels uriPatterns:[s]* sources:[s] limit:i cursor:s >json @labels
            """
        case "com.atproto.lexicon":
            """
            ?resolveLexicon nsid:s* >json
            """
        case "com.atproto.moderation":
            """
            !createReport <json >json
            """
        case "com.atproto.repo":
            """
            !applyWrites <json >json
            !createRecord <json >json
            !deleteRecord <json >json
            ?describeRepo repo:s* >json
            ?getRecord repo:s* collection:s* rkey:s* cid:s >json
            !importRepo <application/vnd.ipld.car
            ?listMissingBlobs limit:i cursor:s >json @blobs
            ?listRecords repo:s* collection:s* limit:i cursor:s reverse:b >json @records
            !putRecord <json >json
            !uploadBlob <*/* >json
            """
        case "com.atproto.server":
            """
            !activateAccount
            ?checkAccountStatus >json
            !confirmEmail <json
            !createAccount <json >json
            !createAppPassword <json >json
            !createInviteCode <json >json
            !createInviteCodes <json >json
            !createSession <json >json
            !deactivateAccount <json
            !deleteAccount <json
            !deleteSession
            ?describeServer >json
            ?getAccountInviteCodes includeUsed:b createAvailable:b >json
            ?getServiceAuth aud:s* exp:i lxm:s >json
            ?getSession >json
            ?listAppPasswords >json
            !refreshSession >json
            !requestAccountDelete
            !requestEmailConfirmation
            !requestEmailUpdate >json
            !requestPasswordReset <json
            !reserveSigningKey <json >json
            !resetPassword <json
            !revokeAppPassword <json
            !updateEmail <json
            """
        case "com.atproto.sync":
            """
            ?getBlob did:s* cid:s* >*/*
            ?getBlocks did:s* cids:[s]* >application/vnd.ipld.car
            ?getCheckout did:s* >application/vnd.ipld.car
            ?getHead did:s* >json
            ?getHostStatus hostname:s* >json
            ?getLatestCommit did:s* >json
            ?getRecord did:s* collection:s* rkey:s* >application/vnd.ipld.car
            ?getRepo did:s* since:s >application/vnd.ipld.car
            ?getRepoStatus did:s* >json
            ?listBlobs did:s* since:s limit:i cursor:s >json @cids
            ?listHosts limit:i cursor:s >json @hosts
            ?listRepos limit:i cursor:s >json @repos
            ?listReposByCollection collection:s* limit:i cursor:s >json @repos
            !notifyOfUpdate <json
            !requestCrawl <json
            """
        case "com.atproto.temp":
            """
            !addReservedHandle <json >json
            ?checkHandleAvailability handle:s* email:s birthDate:s >json
            ?checkSignupQueue >json
            ?dereferenceScope scope:s* >json
            ?fetchLabels since:i limit:i >json
            !requestPhoneVerification <json
            !revokeAccountCredentials <json
            """
        case "internal.bsky.actor":
            """
            ?getProfiles dids:[s]* viewer:s socialProof:[s] includeTakedowns:b >json
            """
        case "tools.ozone.communication":
            """
            !createTemplate <json >json
            !deleteTemplate <json
            ?listTemplates >json
            !updateTemplate <json >json
            """
        case "tools.ozone.hosting":
            """
            ?getAccountHistory did:s* events:[s] cursor:s limit:i >json @events
            """
        case "tools.ozone.moderation":
            """
            !cancelScheduledActions <json >json
            !emitEvent <json >json
            ?getAccountTimeline did:s* >json
            ?getEvent id:i* >json
            ?getRecord uri:s* cid:s >json
            ?getRecords uris:[s]* >json
            ?getRepo did:s* >json
            ?getReporterStats dids:[s]* >json
            ?getRepos dids:[s]* >json
            ?getSubjects subjects:[s]* >json
            !listScheduledActions <json >json
            ?queryEvents types:[s] createdBy:s sortDirection:s createdAfter:s createdBefore:s subject:s \
              collections:[s] subjectType:s includeAllUserRecords:b limit:i hasComment:b comment:s \
              addedLabels:[s] removedLabels:[s] addedTags:[s] removedTags:[s] reportTypes:[s] policies:[s] \
              modTool:[s] batchId:s ageAssuranceState:s withStrike:b cursor:s >json @events
            ?queryStatuses queueCount:i queueIndex:i queueSeed:s includeAllUserRecords:b subject:s \
              comment:s reportedAfter:s reportedBefore:s reviewedAfter:s hostingDeletedAfter:s \
              hostingDeletedBefore:s hostingUpdatedAfter:s hostingUpdatedBefore:s hostingStatuses:[s] \
              reviewedBefore:s includeMuted:b onlyMuted:b reviewState:s ignoreSubjects:[s] \
              lastReviewedBy:s sortField:s sortDirection:s takendown:b appealed:b limit:i tags:[s] \
              excludeTags:[s] cursor:s collections:[s] subjectType:s minAccountSuspendCount:i \
              minReportedRecordsCount:i minTakendownRecordsCount:i minPriorityScore:i minStrikeCount:i \
              ageAssuranceState:s >json @subjectStatuses
            !scheduleAction <json >json
            ?searchRepos term:s q:s limit:i cursor:s >json @repos
            """
        case "tools.ozone.queue":
            """
            !assignModerator <json >json
            !createQueue <json >json
            !deleteQueue <json >json
            ?getAssignments onlyActive:b queueIds:[i] dids:[s] limit:i cursor:s >json @assignments
            ?listQueues enabled:b subjectType:s collection:s reportTypes:[s] limit:i cursor:s >json \
              @queues
            !routeReports <json >json
            !unassignModerator <json
            !updateQueue <json >json
            """
        case "tools.ozone.report":
            """
            !assignModerator <json >json
            !closeReports <json >json
            !createActivity <json >json
            ?getAssignments onlyActive:b reportIds:[i] dids:[s] limit:i cursor:s >json @assignments
            ?getHistoricalStats queueId:i moderatorDid:s reportTypes:[s] startDate:s endDate:s limit:i \
              cursor:s >json @stats
            ?getLatestReport >json
            ?getLiveStats queueId:i moderatorDid:s reportTypes:[s] >json
            ?getReport id:i* >json
            ?listActivities reportId:i* limit:i cursor:s >json @activities
            ?queryActivities activityTypes:[s] createdAfter:s createdBefore:s sortDirection:s limit:i \
              cursor:s >json @activities
            ?queryReports queueId:i reportTypes:[s] status:s* subject:s did:s subjectType:s \
              collections:[s] reportedAfter:s reportedBefore:s isMuted:b assignedTo:s sortField:s \
              sortDirection:s limit:i cursor:s >json @reports
            !reassignQueue <json >json
            !refreshStats <json >json
            !unassignModerator <json >json
            """
        case "tools.ozone.safelink":
            """
            !addRule <json >json
            !queryEvents <json >json
            !queryRules <json >json
            !removeRule <json >json
            !updateRule <json >json
            """
        case "tools.ozone.server":
            """
            ?getConfig >json
            """
        case "tools.ozone.set":
            """
            !addValues <json
            !deleteSet <json >json
            !deleteValues <json
            ?getValues name:s* limit:i cursor:s >json @values
            ?querySets limit:i cursor:s namePrefix:s sortBy:s sortDirection:s >json @sets
            !upsertSet <json >json
            """
        case "tools.ozone.setting":
            """
            ?listOptions limit:i cursor:s scope:s prefix:s keys:[s] >json @options
            !removeOptions <json >json
            !upsertOption <json >json
            """
        case "tools.ozone.signature":
            """
            ?findCorrelation dids:[s]* >json
            ?findRelatedAccounts did:s* cursor:s limit:i >json @accounts
            ?searchAccounts values:[s]* cursor:s limit:i >json @accounts
            """
        case "tools.ozone.team":
            """
            !addMember <json >json
            !deleteMember <json
            ?listMembers q:s disabled:b roles:[s] limit:i cursor:s >json @members
            !updateMember <json >json
            """
        case "tools.ozone.verification":
            """
            !grantVerifications <json >json
            ?listVerifications cursor:s limit:i createdAfter:s createdBefore:s issuers:[s] subjects:[s] \
              sortDirection:s isRevoked:b >json @verifications
            !revokeVerifications <json >json
            """
        default: nil
        }
    }
}
