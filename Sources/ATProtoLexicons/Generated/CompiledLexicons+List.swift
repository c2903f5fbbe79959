// Written by scripts/dev/generate from Tests/Fixtures/lexicons.json.

extension CompiledLexicons {
    /// The month of the lexicons.
    package static let edition = "August 2026"

    /// What the names of documents begin with.
    package static let authorities = [
        "app.bsky", "app.bsky.actor", "app.bsky.ageassurance", "app.bsky.bookmark", "app.bsky.contact",
        "app.bsky.draft", "app.bsky.embed", "app.bsky.feed", "app.bsky.graph", "app.bsky.labeler",
        "app.bsky.notification", "app.bsky.richtext", "app.bsky.unspecced", "app.bsky.video", "chat.bsky",
        "chat.bsky.actor", "chat.bsky.convo", "chat.bsky.embed", "chat.bsky.group", "chat.bsky.moderation",
        "chat.bsky.notification", "com.atproto.admin", "com.atproto.identity", "com.atproto.label",
        "com.atproto.lexicon", "com.atproto.moderation", "com.atproto.repo", "com.atproto.server",
        "com.atproto.sync", "com.atproto.temp", "com.germnetwork", "internal.bsky.actor", "site.standard",
        "site.standard.graph", "site.standard.theme", "tools.ozone.communication", "tools.ozone.hosting",
        "tools.ozone.moderation", "tools.ozone.queue", "tools.ozone.report", "tools.ozone.safelink",
        "tools.ozone.server", "tools.ozone.set", "tools.ozone.setting", "tools.ozone.signature",
        "tools.ozone.team", "tools.ozone.verification",
    ]

    /// The definitions of an authority, one per line; nil for an authority without documents.
    static func text(of authority: String) -> String? {
        switch authority {
        case "app.bsky":
            """
            +authCreatePosts "Create Bluesky Posts" rpc^ m(.video.uploadVideo .video.getJobStatus \
            .video.getUploadLimits .video.startUpload .video.uploadPart .video.finishUpload \
            .video.abortUpload .video.getUploadStatus) repo a(create) c(.feed.post .feed.postgate \
            .feed.threadgate)
            +authDeleteContent "Delete Bluesky Content" repo a(delete) c(.feed.like .feed.post \
            .feed.postgate .feed.repost .feed.threadgate)
            +authFullApp "Full Bluesky Social App Permissions" rpc^ m(.actor.getPreferences \
            .actor.getProfile .actor.getProfiles .actor.getSuggestions .actor.putPreferences \
            .actor.searchActors .actor.searchActorsTypeahead .bookmark.createBookmark \
            .bookmark.deleteBookmark .bookmark.getBookmarks .contact.dismissMatch .contact.getMatches \
            .contact.getSyncStatus .contact.importContacts .contact.removeData \
            .contact.startPhoneVerification .contact.verifyPhone .feed.describeFeedGenerator \
            .feed.getActorFeeds .feed.getActorLikes .feed.getAuthorFeed .feed.getFeed \
            .feed.getFeedGenerator .feed.getFeedGenerators .feed.getFeedSkeleton .feed.getLikes \
            .feed.getListFeed .feed.getPostThread .feed.getPosts .feed.getQuotes .feed.getRepostedBy \
            .feed.getSuggestedFeeds .feed.getTimeline .feed.searchPosts .feed.searchPostsV2 \
            .feed.sendInteractions .graph.getActorStarterPacks .graph.getBlocks .graph.getFollowers \
            .graph.getFollows .graph.getKnownFollowers .graph.getList .graph.getListBlocks \
            .graph.getListMutes .graph.getLists .graph.getListsWithMembership .graph.getMutes \
            .graph.getRelationships .graph.getStarterPack .graph.getStarterPacks \
            .graph.getStarterPacksWithMembership .graph.getSuggestedFollowsByActor .graph.muteActor \
            .graph.muteActorList .graph.muteThread .graph.searchStarterPacks .graph.searchStarterPacksV2 \
            .graph.unmuteActor .graph.unmuteActorList .graph.unmuteThread .labeler.getServices \
            .notification.getPreferences .notification.getUnreadCount \
            .notification.listActivitySubscriptions .notification.listNotifications \
            .notification.putActivitySubscription .notification.putPreferences \
            .notification.putPreferencesV2 .notification.registerPush .notification.unregisterPush \
            .notification.updateSeen .unspecced.getAgeAssuranceState .unspecced.getConfig \
            .unspecced.getOnboardingSuggestedStarterPacks .unspecced.getPopularFeedGenerators \
            .unspecced.getPostThreadOtherV2 .unspecced.getPostThreadV2 .unspecced.getSuggestedFeeds \
            .unspecced.getSuggestedFeedsSkeleton .unspecced.getSuggestedStarterPacks \
            .unspecced.getSuggestedStarterPacksSkeleton .unspecced.getSuggestedUsers \
            .unspecced.getSuggestedUsersSkeleton .unspecced.getSuggestionsSkeleton \
            .unspecced.getTaggedSuggestions .unspecced.getTrendingTopics .unspecced.getTrends \
            .unspecced.getTrendsSkeleton .unspecced.initAgeAssurance .unspecced.searchActorsSkeleton \
            .unspecced.searchPostsSkeleton .unspecced.searchStarterPacksSkeleton .video.getJobStatus \
            .video.getUploadLimits .video.uploadVideo .video.startUpload .video.uploadPart \
            .video.finishUpload .video.abortUpload .video.getUploadStatus) repo a(create update delete) \
            c(.actor.profile .actor.status .feed.like .feed.post .feed.postgate .feed.repost \
            .feed.threadgate .graph.block .graph.follow .graph.list .graph.listblock .graph.listitem \
            .graph.starterpack .notification.declaration)
            +authManageFeedDeclarations "Manage Hosted Feeds" repo a(create update delete) \
            c(.feed.generator)
            +authManageLabelerService "Manage Hosted Labeling Service" repo a(create update delete) \
            c(.labeler.service)
            +authManageModeration "Manage Personal Moderation" rpc^ m(.actor.getPreferences \
            .actor.putPreferences .graph.muteActor .graph.muteActorList .graph.muteThread \
            .graph.unmuteActor .graph.unmuteActorList .graph.unmuteThread) repo a(create update delete) \
            c(.graph.block .graph.listblock)
            +authManageNotifications "Manage Bluesky Notifications" rpc^ m(.notification.getPreferences \
            .notification.getUnreadCount .notification.listActivitySubscriptions \
            .notification.listNotifications .notification.putActivitySubscription \
            .notification.putPreferences .notification.putPreferencesV2 .notification.registerPush \
            .notification.unregisterPush .notification.updateSeen)
            +authManageProfile "Manage Bluesky Profile" repo a(create update delete) c(.actor.profile \
            .actor.status .notification.declaration)
            +authViewAll "Read-only access to all content" rpc^ m(.actor.getPreferences .actor.getProfile \
            .actor.getProfiles .actor.getSuggestions .actor.searchActors .actor.searchActorsTypeahead \
            .bookmark.getBookmarks .feed.describeFeedGenerator .feed.getActorFeeds .feed.getActorLikes \
            .feed.getAuthorFeed .feed.getFeed .feed.getFeedGenerator .feed.getFeedGenerators \
            .feed.getFeedSkeleton .feed.getLikes .feed.getListFeed .feed.getPostThread .feed.getPosts \
            .feed.getQuotes .feed.getRepostedBy .feed.getSuggestedFeeds .feed.getTimeline \
            .feed.searchPosts .feed.searchPostsV2 .graph.getActorStarterPacks .graph.getBlocks \
            .graph.getFollowers .graph.getFollows .graph.getKnownFollowers .graph.getListBlocks \
            .graph.getListMutes .graph.getLists .graph.getListsWithMembership .graph.getMutes \
            .graph.getRelationships .graph.getStarterPack .graph.getStarterPacks \
            .graph.getStarterPacksWithMembership .graph.getSuggestedFollowsByActor \
            .graph.searchStarterPacks .graph.searchStarterPacksV2 .labeler.getServices \
            .notification.getPreferences .notification.getUnreadCount \
            .notification.listActivitySubscriptions .notification.listNotifications \
            .notification.updateSeen .unspecced.getAgeAssuranceState .unspecced.getConfig \
            .unspecced.getOnboardingSuggestedStarterPacks .unspecced.getPopularFeedGenerators \
            .unspecced.getPostThreadOtherV2 .unspecced.getPostThreadV2 .unspecced.getSuggestedFeeds \
            .unspecced.getSuggestedFeedsSkeleton .unspecced.getSuggestedStarterPacks \
            .unspecced.getSuggestedStarterPacksSkeleton .unspecced.getSuggestedUsers \
            .unspecced.getSuggestedUsersSkeleton .unspecced.getSuggestionsSkeleton \
            .unspecced.getTaggedSuggestions .unspecced.getTrendingTopics .unspecced.getTrends \
            .unspecced.getTrendsSkeleton .unspecced.searchActorsSkeleton .unspecced.searchPostsSkeleton \
            .unspecced.searchStarterPacksSkeleton .video.getUploadLimits)
            """
        case "app.bsky.actor":
            """
            ?getPreferences >application/json
            ?getProfile actor:s'at-identifier* >application/json
            ?getProfiles actors:[s'at-identifier]<25* >application/json
            ?getSuggestions limit:i>1<100=50 cursor:s >application/json
            !putPreferences <application/json
            ?searchActors term:s q:s limit:i>1<100=25 cursor:s >application/json
            ?searchActorsTypeahead term:s q:s limit:i>1<100=10 >application/json
            =contentVisibilityDeclaration literal:self {hideFromAlgorithmicRecommendations:b*}
            .defs#profileViewBasic {did:s'did* handle:s'handle* displayName:s<640<<64 pronouns:s \
            avatar:s'uri associated:@#profileAssociated viewer:@#viewerState \
            labels:[@com.atproto.label.defs#label] createdAt:s'datetime verification:@#verificationState \
            status:@#statusView debug:u}
            .defs#profileView {did:s'did* handle:s'handle* displayName:s<640<<64 pronouns:s \
            description:s<2560<<256 avatar:s'uri associated:@#profileAssociated indexedAt:s'datetime \
            createdAt:s'datetime viewer:@#viewerState labels:[@com.atproto.label.defs#label] \
            verification:@#verificationState status:@#statusView debug:u}
            .defs#profileViewDetailed {did:s'did* handle:s'handle* displayName:s<640<<64 \
            description:s<2560<<256 pronouns:s website:s'uri avatar:s'uri banner:s'uri followersCount:i \
            followsCount:i postsCount:i associated:@#profileAssociated \
            joinedViaStarterPack:@app.bsky.graph.defs#starterPackViewBasic indexedAt:s'datetime \
            createdAt:s'datetime viewer:@#viewerState labels:[@com.atproto.label.defs#label] \
            pinnedPost:@com.atproto.repo.strongRef verification:@#verificationState status:@#statusView \
            debug:u}
            .defs#profileAssociated {lists:i feedgens:i starterPacks:i labeler:b \
            chat:@#profileAssociatedChat activitySubscription:@#profileAssociatedActivitySubscription \
            germ:@#profileAssociatedGerm}
            .defs#profileAssociatedChat {allowIncoming:s(~all none following)* allowGroupInvites:s(~all \
            none following)}
            .defs#profileAssociatedGerm {messageMeUrl:s'uri* showButtonTo:s(~usersIFollow everyone)*}
            .defs#profileAssociatedActivitySubscription {allowSubscriptions:s(~followers mutuals none)*}
            .defs#viewerState {muted:b mutedOnlyReposts:b mutedOnlyQuoteposts:b \
            mutedByList:@app.bsky.graph.defs#listViewBasic blockedBy:b blocking:s'at-uri \
            blockingByList:@app.bsky.graph.defs#listViewBasic following:s'at-uri followedBy:s'at-uri \
            knownFollowers:@#knownFollowers \
            activitySubscription:@app.bsky.notification.defs#activitySubscription}
            .defs#knownFollowers {count:i* followers:[@#profileViewBasic]>0<5*}
            .defs#verificationState {verifications:[@#verificationView]* verifiedStatus:s(~valid invalid \
            none)* trustedVerifierStatus:s(~valid invalid none)*}
            .defs#verificationView {issuer:s'did* issuerDisplayName:s issuerHandle:s'handle uri:s'at-uri* \
            isValid:b* createdAt:s'datetime*}
            .defs#preferences [@(#adultContentPref #contentLabelPref #savedFeedsPref #savedFeedsPrefV2 \
            #personalDetailsPref #declaredAgePref #feedViewPref #threadViewPref #interestsPref \
            #mutedWordsPref #hiddenPostsPref #bskyAppStatePref #labelersPref #postInteractionSettingsPref \
            #verificationPrefs #liveEventPreferences)]
            .defs#adultContentPref {enabled:b=false*}
            .defs#contentLabelPref {labelerDid:s'did label:s* visibility:s(~ignore show warn hide)*}
            .defs#savedFeed {id:s* type:s(~feed list timeline)* value:s* pinned:b*}
            .defs#savedFeedsPrefV2 {items:[@.defs#savedFeed]*}
            .defs#savedFeedsPref {pinned:[s'at-uri]* saved:[s'at-uri]* timelineIndex:i}
            .defs#personalDetailsPref {birthDate:s'datetime}
            .defs#declaredAgePref {isOverAge13:b isOverAge16:b isOverAge18:b}
            .defs#feedViewPref {feed:s* hideReplies:b hideRepliesByUnfollowed:b=true \
            hideRepliesByLikeCount:i hideReposts:b hideQuotePosts:b}
            .defs#threadViewPref {sort:s(~oldest newest most-likes random hotness)}
            .defs#interestsPref {tags:[s<640<<64]<100*}
            .defs#mutedWordTarget s<640<<64(~content tag)
            .defs#mutedWord {id:s value:s<10000<<1000* targets:[@.defs#mutedWordTarget]* \
            actorTarget:s(~all exclude-following)=all expiresAt:s'datetime}
            .defs#mutedWordsPref {items:[@.defs#mutedWord]*}
            .defs#hiddenPostsPref {items:[s'at-uri]*}
            .defs#labelersPref {labelers:[@#labelerPrefItem]*}
            .defs#labelerPrefItem {did:s'did*}
            .defs#bskyAppStatePref {activeProgressGuide:@#bskyAppProgressGuide isBetaUser:b \
            queuedNudges:[s<100]<1000 nuxs:[@.defs#nux]<100}
            .defs#bskyAppProgressGuide {guide:s<100*}
            .defs#nux {id:s<100* completed:b=false* data:s<3000<<300 expiresAt:s'datetime}
            .defs#verificationPrefs {hideBadges:b=false}
            .defs#liveEventPreferences {hiddenFeedIds:[s] hideAllFeeds:b=false}
            .defs#postInteractionSettingsPref \
            {threadgateAllowRules:[@(app.bsky.feed.threadgate#mentionRule \
            app.bsky.feed.threadgate#followerRule app.bsky.feed.threadgate#followingRule \
            app.bsky.feed.threadgate#listRule)]<5 \
            postgateEmbeddingRules:[@(app.bsky.feed.postgate#disableRule)]<5}
            .defs#statusView {uri:s'at-uri cid:s'cid status:s(~app.bsky.actor.status#live)* record:u* \
            embed:@(app.bsky.embed.external#view) labels:[@com.atproto.label.defs#label] \
            expiresAt:s'datetime isActive:b isDisabled:b}
            .getPreferences> {preferences:@.defs#preferences*}
            .getProfile> @.defs#profileViewDetailed
            .getProfiles> {profiles:[@.defs#profileViewDetailed]*}
            .getSuggestions> {cursor:s actors:[@.defs#profileView]* recId:i recIdStr:s}
            =profile literal:self {displayName:s<640<<64 description:s<2560<<256 pronouns:s<200<<20 \
            website:s'uri avatar:x<1000000(image/png image/jpeg) banner:x<1000000(image/png image/jpeg) \
            labels:@(com.atproto.label.defs#selfLabels) joinedViaStarterPack:@com.atproto.repo.strongRef \
            pinnedPost:@com.atproto.repo.strongRef createdAt:s'datetime}
            .putPreferences< {preferences:@.defs#preferences*}
            .searchActors> {cursor:s actors:[@.defs#profileView]*}
            .searchActorsTypeahead> {actors:[@.defs#profileViewBasic]*}
            =status literal:self {status:s(~app.bsky.actor.status#live)* embed:@(app.bsky.embed.external) \
            durationMinutes:i>1 createdAt:s'datetime*}
            .status#live t
            """
        case "app.bsky.ageassurance":
            """
            !begin <application/json >application/json %InvalidEmail %DidTooLong %InvalidInitiation \
            %RegionNotSupported
            ?getConfig >application/json
            ?getState countryCode:s* regionCode:s >application/json
            .begin< {email:s* language:s* countryCode:s* regionCode:s}
            .begin> @.defs#state
            .defs#access s(~unknown none safe full)
            .defs#status s(~unknown pending assured blocked)
            .defs#state {lastInitiatedAt:s'datetime status:@.defs#status* access:@.defs#access*}
            .defs#stateMetadata {accountCreatedAt:s'datetime}
            .defs#config {regions:[@.defs#configRegion]*}
            .defs#configRegion {platforms:[s(~web ios android)] countryCode:s* regionCode:s \
            minAccessAge:i* additionalVerificationMethods:[s(~device)] rules:[@(#configRegionRuleDefault \
            #configRegionRuleIfDeclaredOverAge #configRegionRuleIfDeclaredUnderAge \
            #configRegionRuleIfAssuredOverAge #configRegionRuleIfAssuredUnderAge \
            #configRegionRuleIfAccountNewerThan #configRegionRuleIfAccountOlderThan)]*}
            .defs#configRegionRuleDefault {access:@.defs#access*}
            .defs#configRegionRuleIfDeclaredOverAge {age:i* access:@.defs#access*}
            .defs#configRegionRuleIfDeclaredUnderAge {age:i* access:@.defs#access*}
            .defs#configRegionRuleIfAssuredOverAge {age:i* access:@.defs#access*}
            .defs#configRegionRuleIfAssuredUnderAge {age:i* access:@.defs#access*}
            .defs#configRegionRuleIfAccountNewerThan {date:s'datetime* access:@.defs#access*}
            .defs#configRegionRuleIfAccountOlderThan {date:s'datetime* access:@.defs#access*}
            .defs#event {createdAt:s'datetime* attemptId:s* status:s(~unknown pending assured blocked)* \
            access:s(~unknown none safe full)* countryCode:s* regionCode:s email:s initIp:s initUa:s \
            completeIp:s completeUa:s}
            .getConfig> @.defs#config
            .getState> {state:@.defs#state* metadata:@.defs#stateMetadata*}
            """
        case "app.bsky.bookmark":
            """
            !createBookmark <application/json %UnsupportedCollection
            !deleteBookmark <application/json %UnsupportedCollection
            ?getBookmarks limit:i>1<100=50 cursor:s >application/json
            .createBookmark< {uri:s'at-uri* cid:s'cid*}
            .defs#bookmark {subject:@com.atproto.repo.strongRef*}
            .defs#bookmarkView {subject:@com.atproto.repo.strongRef* createdAt:s'datetime \
            item:@(app.bsky.feed.defs#blockedPost app.bsky.feed.defs#notFoundPost \
            app.bsky.feed.defs#postView)*}
            .deleteBookmark< {uri:s'at-uri*}
            .getBookmarks> {cursor:s bookmarks:[@.defs#bookmarkView]*}
            """
        case "app.bsky.contact":
            """
            !dismissMatch <application/json >application/json %InvalidDid %InternalError
            ?getMatches limit:i>1<100=50 cursor:s >application/json %InvalidDid %InvalidLimit \
            %InvalidCursor %InternalError
            ?getSyncStatus >application/json %InvalidDid %InternalError
            !importContacts <application/json >application/json %InvalidDid %InvalidContacts \
            %TooManyContacts %InvalidToken %InternalError
            !removeData <application/json >application/json %InvalidDid %InternalError
            !sendNotification <application/json >application/json
            !startPhoneVerification <application/json >application/json %RateLimitExceeded %InvalidDid \
            %InvalidPhone %InternalError
            !verifyPhone <application/json >application/json %RateLimitExceeded %InvalidDid %InvalidPhone \
            %InvalidCode %InternalError
            .defs#matchAndContactIndex {match:@app.bsky.actor.defs#profileView* contactIndex:i>0<999*}
            .defs#syncStatus {syncedAt:s'datetime* matchesCount:i>0*}
            .defs#notification {from:s'did* to:s'did*}
            .dismissMatch< {subject:s'did*}
            .dismissMatch> {}
            .getMatches> {cursor:s matches:[@app.bsky.actor.defs#profileView]*}
            .getSyncStatus> {syncStatus:@.defs#syncStatus}
            .importContacts< {token:s* contacts:[s]>1<1000*}
            .importContacts> {matchesAndContactIndexes:[@.defs#matchAndContactIndex]*}
            .removeData< {}
            .removeData> {}
            .sendNotification< {from:s'did* to:s'did*}
            .sendNotification> {}
            .startPhoneVerification< {phone:s*}
            .startPhoneVerification> {}
            .verifyPhone< {phone:s* code:s*}
            .verifyPhone> {token:s*}
            """
        case "app.bsky.draft":
            """
            !createDraft <application/json >application/json %DraftLimitReached
            !deleteDraft <application/json
            ?getDrafts limit:i>1<100=50 cursor:s >application/json
            !updateDraft <application/json
            .createDraft< {draft:@.defs#draft*}
            .createDraft> {id:s'tid*}
            .defs#draftWithId {id:s'tid* draft:@#draft*}
            .defs#draft {deviceId:s<100 deviceName:s<100 posts:[@#draftPost]>1<100* langs:[s'language]<3 \
            postgateEmbeddingRules:[@(app.bsky.feed.postgate#disableRule)]<5 \
            threadgateAllow:[@(app.bsky.feed.threadgate#mentionRule app.bsky.feed.threadgate#followerRule \
            app.bsky.feed.threadgate#followingRule app.bsky.feed.threadgate#listRule)]<5}
            .defs#draftPost {text:s<10000<<1000* labels:@(com.atproto.label.defs#selfLabels) \
            embedImages:[@#draftEmbedImage]<4 embedGallery:@#draftEmbedGallery \
            embedVideos:[@#draftEmbedVideo]<1 embedExternals:[@#draftEmbedExternal]<1 \
            embedRecords:[@#draftEmbedRecord]<1}
            .defs#draftView {id:s'tid* draft:@#draft* createdAt:s'datetime* updatedAt:s'datetime*}
            .defs#draftEmbedLocalRef {path:s>1<1024*}
            .defs#draftEmbedCaption {lang:s'language* content:s<10000*}
            .defs#draftEmbedGallery {items:@#draftEmbedGalleryItems*}
            .defs#draftEmbedGalleryItems [@(#draftEmbedImage)]<20
            .defs#draftEmbedImage {localRef:@#draftEmbedLocalRef* alt:s<<2000}
            .defs#draftEmbedVideo {localRef:@#draftEmbedLocalRef* alt:s<<2000 \
            captions:[@#draftEmbedCaption]<20}
            .defs#draftEmbedExternal {uri:s'uri*}
            .defs#draftEmbedRecord {record:@com.atproto.repo.strongRef*}
            .deleteDraft< {id:s'tid*}
            .getDrafts> {cursor:s drafts:[@.defs#draftView]*}
            .updateDraft< {draft:@.defs#draftWithId*}
            """
        case "app.bsky.embed":
            """
            ?getEmbedExternalView url:s'uri* uris:[s'at-uri]<4* >application/json
            .defs#aspectRatio {width:i>1* height:i>1*}
            .external#main {external:@#external*}
            .external#external {uri:s'uri* title:s* description:s* thumb:x<1000000(image/*) \
            associatedRefs:[@com.atproto.repo.strongRef]}
            .external#view {external:@#viewExternal*}
            .external#viewExternal {uri:s'uri* title:s* description:s* thumb:s'uri createdAt:s'datetime \
            updatedAt:s'datetime readingTime:i labels:[@com.atproto.label.defs#label] \
            source:@#viewExternalSource associatedRefs:[@com.atproto.repo.strongRef] \
            associatedProfiles:[@app.bsky.actor.defs#profileViewBasic]}
            .external#viewExternalSource {uri:s'uri* icon:s'uri title:s* description:s \
            theme:@#viewExternalSourceTheme}
            .external#viewExternalSourceTheme {backgroundRGB:@#colorRGB foregroundRGB:@#colorRGB \
            accentRGB:@#colorRGB accentForegroundRGB:@#colorRGB}
            .external#colorRGB {r:i>0<255* g:i>0<255* b:i>0<255*}
            .gallery#main {items:[@(#image)]<20*}
            .gallery#image {image:x<2000000(image/*)* alt:s* aspectRatio:@.defs#aspectRatio*}
            .gallery#view {items:[@(#viewImage)]*}
            .gallery#viewImage {thumbnail:s'uri* fullsize:s'uri* alt:s* aspectRatio:@.defs#aspectRatio*}
            .getEmbedExternalView> {view:@.external#view associatedRefs:[@com.atproto.repo.strongRef] \
            associatedRecords:[u]}
            .images#main {images:[@#image]<4*}
            .images#image {image:x<2000000(image/*)* alt:s* aspectRatio:@.defs#aspectRatio}
            .images#view {images:[@#viewImage]<4*}
            .images#viewImage {thumb:s'uri* fullsize:s'uri* alt:s* aspectRatio:@.defs#aspectRatio}
            .record#main {record:@com.atproto.repo.strongRef*}
            .record#view {record:@(#viewRecord #viewNotFound #viewBlocked #viewDetached \
            app.bsky.feed.defs#generatorView app.bsky.graph.defs#listView \
            app.bsky.labeler.defs#labelerView app.bsky.graph.defs#starterPackViewBasic)*}
            .record#viewRecord {uri:s'at-uri* cid:s'cid* author:@app.bsky.actor.defs#profileViewBasic* \
            value:u* labels:[@com.atproto.label.defs#label] replyCount:i repostCount:i likeCount:i \
            quoteCount:i embeds:[@(.images#view .video#view .gallery#view .external#view .record#view \
            .recordWithMedia#view)] indexedAt:s'datetime*}
            .record#viewNotFound {uri:s'at-uri* notFound:b==true*}
            .record#viewBlocked {uri:s'at-uri* blocked:b==true* author:@app.bsky.feed.defs#blockedAuthor*}
            .record#viewDetached {uri:s'at-uri* detached:b==true*}
            .recordWithMedia#main {record:@.record* media:@(.images .video .gallery .external)*}
            .recordWithMedia#view {record:@.record#view* media:@(.images#view .video#view .gallery#view \
            .external#view)*}
            .video#main {video:x<300000000(video/mp4)* captions:[@#caption]<20 alt:s \
            aspectRatio:@.defs#aspectRatio presentation:s(~default gif)}
            .video#caption {lang:s'language* file:x<20000(text/vtt)*}
            .video#view {cid:s'cid* playlist:s'uri* thumbnail:s'uri alt:s aspectRatio:@.defs#aspectRatio \
            presentation:s(~default gif)}
            """
        case "app.bsky.feed":
            """
            ?describeFeedGenerator >application/json
            ?getActorFeeds actor:s'at-identifier* limit:i>1<100=50 cursor:s >application/json
            ?getActorLikes actor:s'at-identifier* limit:i>1<100=50 cursor:s >application/json \
            %BlockedActor %BlockedByActor
            ?getAuthorFeed actor:s'at-identifier* limit:i>1<100=50 cursor:s filter:s(~posts_with_replies \
            posts_no_replies posts_with_media posts_and_author_threads \
            posts_with_video)=posts_with_replies includePins:b=false >application/json %BlockedActor \
            %BlockedByActor
            ?getFeed feed:s'at-uri* limit:i>1<100=50 cursor:s >application/json %UnknownFeed
            ?getFeedGenerator feed:s'at-uri* >application/json
            ?getFeedGenerators feeds:[s'at-uri]* >application/json
            ?getFeedSkeleton feed:s'at-uri* limit:i>1<100=50 cursor:s >application/json %UnknownFeed
            ?getLikes uri:s'at-uri* cid:s'cid limit:i>1<100=50 cursor:s >application/json
            ?getListFeed list:s'at-uri* limit:i>1<100=50 cursor:s >application/json %UnknownList
            ?getPostThread uri:s'at-uri* depth:i>0<1000=6 parentHeight:i>0<1000=80 >application/json \
            %NotFound
            ?getPosts uris:[s'at-uri]<25* >application/json
            ?getQuotes uri:s'at-uri* cid:s'cid limit:i>1<100=50 cursor:s >application/json
            ?getRepostedBy uri:s'at-uri* cid:s'cid limit:i>1<100=50 cursor:s >application/json
            ?getSuggestedFeeds limit:i>1<100=50 cursor:s >application/json
            ?getTimeline algorithm:s limit:i>1<100=50 cursor:s >application/json
            ?searchPosts q:s* sort:s(~top latest)=latest since:s until:s mentions:s'at-identifier \
            author:s'at-identifier lang:s'language domain:s url:s'uri tag:[s<640<<64] limit:i>1<100=25 \
            cursor:s >application/json %BadQueryString
            ?searchPostsV2 cursor:s limit:i>1<100=25 query:s sort:s(~recent top) authors:[s'at-identifier] \
            mentions:[s'at-identifier] domains:[s] urls:[s'uri] embeddedAtUris:[s'at-uri] \
            hashtags:[s<640<<64] excludeAuthors:[s'at-identifier] excludeMentions:[s'at-identifier] \
            excludeDomains:[s] excludeUrls:[s'uri] excludeEmbeddedAtUris:[s'at-uri] \
            excludeHashtags:[s<640<<64] since:s until:s allTime:b languages:[s'language] \
            excludeLanguages:[s'language] hasMedia:b hasVideo:b replyParentUri:s'at-uri \
            threadRootUri:s'at-uri excludeReplies:b repliesOnly:b following:b queryLanguage:s(~ja zh ko th \
            ar) >application/json %BadQueryString
            !sendInteractions <application/json >application/json
            .defs#postView {uri:s'at-uri* cid:s'cid* author:@app.bsky.actor.defs#profileViewBasic* \
            record:u* embed:@(app.bsky.embed.images#view app.bsky.embed.video#view \
            app.bsky.embed.gallery#view app.bsky.embed.external#view app.bsky.embed.record#view \
            app.bsky.embed.recordWithMedia#view) bookmarkCount:i replyCount:i repostCount:i likeCount:i \
            quoteCount:i indexedAt:s'datetime* viewer:@#viewerState labels:[@com.atproto.label.defs#label] \
            threadgate:@#threadgateView debug:u}
            .defs#viewerState {repost:s'at-uri like:s'at-uri bookmarked:b threadMuted:b replyDisabled:b \
            embeddingDisabled:b pinned:b knownLikers:@#knownLikers}
            .defs#knownLikers {count:i* actors:[@app.bsky.actor.defs#profileViewBasic]>0<5*}
            .defs#threadContext {rootAuthorLike:s'at-uri}
            .defs#feedViewPost {post:@#postView* reply:@#replyRef reason:@(#reasonRepost #reasonPin) \
            feedContext:s<2000 reqId:s<100}
            .defs#replyRef {root:@(#postView #notFoundPost #blockedPost)* parent:@(#postView #notFoundPost \
            #blockedPost)* grandparentAuthor:@app.bsky.actor.defs#profileViewBasic}
            .defs#reasonRepost {by:@app.bsky.actor.defs#profileViewBasic* uri:s'at-uri cid:s'cid \
            indexedAt:s'datetime*}
            .defs#reasonPin {}
            .defs#threadViewPost {post:@#postView* parent:@(#threadViewPost #notFoundPost #blockedPost) \
            replies:[@(#threadViewPost #notFoundPost #blockedPost)] threadContext:@#threadContext}
            .defs#notFoundPost {uri:s'at-uri* notFound:b==true*}
            .defs#blockedPost {uri:s'at-uri* blocked:b==true* author:@#blockedAuthor*}
            .defs#blockedAuthor {did:s'did* viewer:@app.bsky.actor.defs#viewerState}
            .defs#generatorView {uri:s'at-uri* cid:s'cid* did:s'did* \
            creator:@app.bsky.actor.defs#profileView* displayName:s* description:s<3000<<300 \
            descriptionFacets:[@app.bsky.richtext.facet] avatar:s'uri likeCount:i>0 acceptsInteractions:b \
            labels:[@com.atproto.label.defs#label] viewer:@#generatorViewerState \
            contentMode:s(~app.bsky.feed.defs#contentModeUnspecified app.bsky.feed.defs#contentModeVideo) \
            indexedAt:s'datetime*}
            .defs#generatorViewerState {like:s'at-uri}
            .defs#skeletonFeedPost {post:s'at-uri* reason:@(#skeletonReasonRepost #skeletonReasonPin) \
            feedContext:s<2000}
            .defs#skeletonReasonRepost {repost:s'at-uri*}
            .defs#skeletonReasonPin {}
            .defs#threadgateView {uri:s'at-uri cid:s'cid record:u \
            lists:[@app.bsky.graph.defs#listViewBasic]}
            .defs#interaction {item:s'at-uri event:s(~app.bsky.feed.defs#requestLess \
            app.bsky.feed.defs#requestMore app.bsky.feed.defs#clickthroughItem \
            app.bsky.feed.defs#clickthroughAuthor app.bsky.feed.defs#clickthroughReposter \
            app.bsky.feed.defs#clickthroughEmbed app.bsky.feed.defs#interactionSeen \
            app.bsky.feed.defs#interactionLike app.bsky.feed.defs#interactionRepost \
            app.bsky.feed.defs#interactionReply app.bsky.feed.defs#interactionQuote \
            app.bsky.feed.defs#interactionShare) feedContext:s<2000 reqId:s<100}
            .defs#requestLess t
            .defs#requestMore t
            .defs#clickthroughItem t
            .defs#clickthroughAuthor t
            .defs#clickthroughReposter t
            .defs#clickthroughEmbed t
            .defs#contentModeUnspecified t
            .defs#contentModeVideo t
            .defs#interactionSeen t
            .defs#interactionLike t
            .defs#interactionRepost t
            .defs#interactionReply t
            .defs#interactionQuote t
            .defs#interactionShare t
            .describeFeedGenerator> {did:s'did* feeds:[@#feed]* links:@#links}
            .describeFeedGenerator#feed {uri:s'at-uri*}
            .describeFeedGenerator#links {privacyPolicy:s termsOfService:s}
            =generator any {did:s'did* displayName:s<240<<24* description:s<3000<<300 \
            descriptionFacets:[@app.bsky.richtext.facet] avatar:x<1000000(image/png image/jpeg) \
            acceptsInteractions:b labels:@(com.atproto.label.defs#selfLabels) \
            contentMode:s(~app.bsky.feed.defs#contentModeUnspecified app.bsky.feed.defs#contentModeVideo) \
            createdAt:s'datetime*}
            .getActorFeeds> {cursor:s feeds:[@.defs#generatorView]*}
            .getActorLikes> {cursor:s feed:[@.defs#feedViewPost]*}
            .getAuthorFeed> {cursor:s feed:[@.defs#feedViewPost]*}
            .getFeed> {cursor:s feed:[@.defs#feedViewPost]*}
            .getFeedGenerator> {view:@.defs#generatorView* isOnline:b* isValid:b*}
            .getFeedGenerators> {feeds:[@.defs#generatorView]*}
            .getFeedSkeleton> {cursor:s feed:[@.defs#skeletonFeedPost]* reqId:s<100}
            .getLikes> {uri:s'at-uri* cid:s'cid cursor:s likes:[@#like]*}
            .getLikes#like {indexedAt:s'datetime* createdAt:s'datetime* \
            actor:@app.bsky.actor.defs#profileView*}
            .getListFeed> {cursor:s feed:[@.defs#feedViewPost]*}
            .getPostThread> {thread:@(.defs#threadViewPost .defs#notFoundPost .defs#blockedPost)* \
            threadgate:@.defs#threadgateView}
            .getPosts> {posts:[@.defs#postView]*}
            .getQuotes> {uri:s'at-uri* cid:s'cid cursor:s posts:[@.defs#postView]*}
            .getRepostedBy> {uri:s'at-uri* cid:s'cid cursor:s \
            repostedBy:[@app.bsky.actor.defs#profileView]*}
            .getSuggestedFeeds> {cursor:s feeds:[@.defs#generatorView]*}
            .getTimeline> {cursor:s feed:[@.defs#feedViewPost]*}
            =like tid {subject:@com.atproto.repo.strongRef* createdAt:s'datetime* \
            via:@com.atproto.repo.strongRef}
            =post tid {text:s<3000<<300* entities:[@#entity] facets:[@app.bsky.richtext.facet] \
            reply:@#replyRef embed:@(app.bsky.embed.images app.bsky.embed.video app.bsky.embed.gallery \
            app.bsky.embed.external app.bsky.embed.record app.bsky.embed.recordWithMedia) \
            langs:[s'language]<3 labels:@(com.atproto.label.defs#selfLabels) tags:[s<640<<64]<8 \
            createdAt:s'datetime*}
            .post#replyRef {root:@com.atproto.repo.strongRef* parent:@com.atproto.repo.strongRef*}
            .post#entity {index:@#textSlice* type:s* value:s*}
            .post#textSlice {start:i>0* end:i>0*}
            =postgate tid {createdAt:s'datetime* post:s'at-uri* detachedEmbeddingUris:[s'at-uri]<50 \
            embeddingRules:[@(#disableRule)]<5}
            .postgate#disableRule {}
            =repost tid {subject:@com.atproto.repo.strongRef* createdAt:s'datetime* \
            via:@com.atproto.repo.strongRef}
            .searchPosts> {cursor:s hitsTotal:i posts:[@.defs#postView]*}
            .searchPostsV2> {cursor:s hitsTotal:i posts:[@.defs#postView]* detectedQueryLanguages:[s(~ja \
            zh ko th ar)]}
            .sendInteractions< {feed:s'at-uri interactions:[@.defs#interaction]*}
            .sendInteractions> {}
            =threadgate tid {post:s'at-uri* allow:[@(#mentionRule #followerRule #followingRule \
            #listRule)]<5 createdAt:s'datetime* hiddenReplies:[s'at-uri]<300}
            .threadgate#mentionRule {}
            .threadgate#followerRule {}
            .threadgate#followingRule {}
            .threadgate#listRule {list:s'at-uri*}
            """
        case "app.bsky.graph":
            """
            ?getActorStarterPacks actor:s'at-identifier* limit:i>1<100=50 cursor:s >application/json
            ?getBlocks limit:i>1<100=50 cursor:s >application/json
            ?getFollowers actor:s'at-identifier* limit:i>1<100=50 cursor:s sort:s(~latest top) \
            >application/json
            ?getFollows actor:s'at-identifier* limit:i>1<100=50 cursor:s sort:s(~latest top) \
            >application/json
            ?getKnownFollowers actor:s'at-identifier* limit:i>1<100=50 cursor:s >application/json
            ?getList list:s'at-uri* limit:i>1<100=50 cursor:s >application/json
            ?getListBlocks limit:i>1<100=50 cursor:s >application/json
            ?getListMutes limit:i>1<100=50 cursor:s >application/json
            ?getLists actor:s'at-identifier* limit:i>1<100=50 cursor:s purposes:[s(~modlist curatelist)] \
            >application/json
            ?getListsWithMembership actor:s'at-identifier* limit:i>1<100=50 cursor:s purposes:[s(~modlist \
            curatelist)] >application/json
            ?getMutes limit:i>1<100=50 cursor:s >application/json
            ?getRelationships actor:s'at-identifier* others:[s'at-identifier]<30 >application/json \
            %ActorNotFound
            ?getStarterPack starterPack:s'at-uri* >application/json
            ?getStarterPacks uris:[s'at-uri]<25* >application/json
            ?getStarterPacksWithMembership actor:s'at-identifier* limit:i>1<100=50 cursor:s \
            >application/json
            ?getSuggestedFollowsByActor actor:s'at-identifier* >application/json
            !muteActor <application/json
            !muteActorList <application/json
            !muteThread <application/json
            ?searchStarterPacks q:s* limit:i>1<100=25 cursor:s >application/json
            ?searchStarterPacksV2 q:s* limit:i>1<100=25 cursor:s >application/json
            !unmuteActor <application/json
            !unmuteActorList <application/json
            !unmuteThread <application/json
            =block tid {subject:s'did* createdAt:s'datetime*}
            .defs#listViewBasic {uri:s'at-uri* cid:s'cid* name:s>1<64* purpose:@#listPurpose* avatar:s'uri \
            listItemCount:i>0 labels:[@com.atproto.label.defs#label] viewer:@#listViewerState \
            indexedAt:s'datetime}
            .defs#listView {uri:s'at-uri* cid:s'cid* creator:@app.bsky.actor.defs#profileView* \
            name:s>1<64* purpose:@#listPurpose* description:s<3000<<300 \
            descriptionFacets:[@app.bsky.richtext.facet] avatar:s'uri listItemCount:i>0 \
            labels:[@com.atproto.label.defs#label] viewer:@#listViewerState indexedAt:s'datetime*}
            .defs#listItemView {uri:s'at-uri* subject:@app.bsky.actor.defs#profileView*}
            .defs#starterPackView {uri:s'at-uri* cid:s'cid* record:u* \
            creator:@app.bsky.actor.defs#profileViewBasic* list:@#listViewBasic \
            listItemsSample:[@#listItemView]<12 feeds:[@app.bsky.feed.defs#generatorView]<3 \
            joinedWeekCount:i>0 joinedAllTimeCount:i>0 labels:[@com.atproto.label.defs#label] \
            indexedAt:s'datetime*}
            .defs#starterPackViewBasic {uri:s'at-uri* cid:s'cid* record:u* \
            creator:@app.bsky.actor.defs#profileViewBasic* listItemCount:i>0 joinedWeekCount:i>0 \
            joinedAllTimeCount:i>0 labels:[@com.atproto.label.defs#label] indexedAt:s'datetime*}
            .defs#listPurpose s(~app.bsky.graph.defs#modlist app.bsky.graph.defs#curatelist \
            app.bsky.graph.defs#referencelist)
            .defs#modlist t
            .defs#curatelist t
            .defs#referencelist t
            .defs#listViewerState {muted:b blocked:s'at-uri}
            .defs#notFoundActor {actor:s'at-identifier* notFound:b==true*}
            .defs#relationship {did:s'did* following:s'at-uri followedBy:s'at-uri blocking:s'at-uri \
            blockedBy:s'at-uri blockingByList:s'at-uri blockedByList:s'at-uri}
            =follow tid {subject:s'did* createdAt:s'datetime* via:@com.atproto.repo.strongRef}
            .getActorStarterPacks> {cursor:s starterPacks:[@.defs#starterPackViewBasic]*}
            .getBlocks> {cursor:s blocks:[@app.bsky.actor.defs#profileView]*}
            .getFollowers> {subject:@app.bsky.actor.defs#profileView* cursor:s \
            followers:[@app.bsky.actor.defs#profileView]*}
            .getFollows> {subject:@app.bsky.actor.defs#profileView* cursor:s \
            follows:[@app.bsky.actor.defs#profileView]*}
            .getKnownFollowers> {subject:@app.bsky.actor.defs#profileView* cursor:s \
            followers:[@app.bsky.actor.defs#profileView]*}
            .getList> {cursor:s list:@.defs#listView* items:[@.defs#listItemView]*}
            .getListBlocks> {cursor:s lists:[@.defs#listView]*}
            .getListMutes> {cursor:s lists:[@.defs#listView]*}
            .getLists> {cursor:s lists:[@.defs#listView]*}
            .getListsWithMembership> {cursor:s listsWithMembership:[@#listWithMembership]*}
            .getListsWithMembership#listWithMembership {list:@.defs#listView* \
            listItem:@.defs#listItemView}
            .getMutes> {cursor:s mutes:[@app.bsky.actor.defs#profileView]*}
            .getRelationships> {actor:s'did relationships:[@(.defs#relationship .defs#notFoundActor)]*}
            .getStarterPack> {starterPack:@.defs#starterPackView*}
            .getStarterPacks> {starterPacks:[@.defs#starterPackViewBasic]*}
            .getStarterPacksWithMembership> {cursor:s \
            starterPacksWithMembership:[@#starterPackWithMembership]*}
            .getStarterPacksWithMembership#starterPackWithMembership {starterPack:@.defs#starterPackView* \
            listItem:@.defs#listItemView}
            .getSuggestedFollowsByActor> {suggestions:[@app.bsky.actor.defs#profileView]* recIdStr:s \
            isFallback:b=false recId:i}
            =list tid {purpose:@.defs#listPurpose* name:s>1<64* description:s<3000<<300 \
            descriptionFacets:[@app.bsky.richtext.facet] avatar:x<1000000(image/png image/jpeg) \
            labels:@(com.atproto.label.defs#selfLabels) createdAt:s'datetime*}
            =listblock tid {subject:s'at-uri* createdAt:s'datetime*}
            =listitem tid {subject:s'did* list:s'at-uri* createdAt:s'datetime*}
            .muteActor< {actor:s'at-identifier* onlyReposts:b onlyQuoteposts:b}
            .muteActorList< {list:s'at-uri*}
            .muteThread< {root:s'at-uri*}
            .searchStarterPacks> {cursor:s starterPacks:[@.defs#starterPackViewBasic]*}
            .searchStarterPacksV2> {cursor:s hitsTotal:i starterPacks:[@.defs#starterPackView]*}
            =starterpack tid {name:s>1<500<<50* description:s<3000<<300 \
            descriptionFacets:[@app.bsky.richtext.facet] list:s'at-uri* feeds:[@#feedItem]<3 \
            createdAt:s'datetime*}
            .starterpack#feedItem {uri:s'at-uri*}
            .unmuteActor< {actor:s'at-identifier*}
            .unmuteActorList< {list:s'at-uri*}
            .unmuteThread< {root:s'at-uri*}
            =verification tid {subject:s'did* handle:s'handle* displayName:s* createdAt:s'datetime*}
            """
        case "app.bsky.labeler":
            """
            ?getServices dids:[s'did]* detailed:b=false >application/json
            .defs#labelerView {uri:s'at-uri* cid:s'cid* creator:@app.bsky.actor.defs#profileView* \
            likeCount:i>0 viewer:@#labelerViewerState indexedAt:s'datetime* \
            labels:[@com.atproto.label.defs#label]}
            .defs#labelerViewDetailed {uri:s'at-uri* cid:s'cid* creator:@app.bsky.actor.defs#profileView* \
            policies:@.defs#labelerPolicies* likeCount:i>0 viewer:@#labelerViewerState \
            indexedAt:s'datetime* labels:[@com.atproto.label.defs#label] \
            reasonTypes:[@com.atproto.moderation.defs#reasonType] \
            subjectTypes:[@com.atproto.moderation.defs#subjectType] subjectCollections:[s'nsid]}
            .defs#labelerViewerState {like:s'at-uri}
            .defs#labelerPolicies {labelValues:[@com.atproto.label.defs#labelValue]* \
            labelValueDefinitions:[@com.atproto.label.defs#labelValueDefinition]}
            .getServices> {views:[@(.defs#labelerView .defs#labelerViewDetailed)]*}
            =service literal:self {policies:@.defs#labelerPolicies* \
            labels:@(com.atproto.label.defs#selfLabels) createdAt:s'datetime* \
            reasonTypes:[@com.atproto.moderation.defs#reasonType] \
            subjectTypes:[@com.atproto.moderation.defs#subjectType] subjectCollections:[s'nsid]}
            """
        case "app.bsky.notification":
            """
            ?getPreferences >application/json
            ?getUnreadCount priority:b seenAt:s'datetime >application/json
            ?listActivitySubscriptions limit:i>1<100=50 cursor:s >application/json
            ?listNotifications reasons:[s] limit:i>1<100=50 priority:b cursor:s seenAt:s'datetime \
            >application/json
            !putActivitySubscription <application/json >application/json
            !putPreferences <application/json
            !putPreferencesV2 <application/json >application/json
            !registerPush <application/json
            !unregisterPush <application/json
            !updateSeen <application/json
            =declaration literal:self {allowSubscriptions:s(~followers mutuals none)*}
            .defs#recordDeleted {}
            .defs#chatPreference {include:s(~all accepted)* push:b*}
            .defs#filterablePreference {include:s(~all follows)* list:b* push:b*}
            .defs#preference {list:b* push:b*}
            .defs#preferences {chat:@#chatPreference* follow:@#filterablePreference* \
            like:@#filterablePreference* likeViaRepost:@#filterablePreference* \
            mention:@#filterablePreference* quote:@#filterablePreference* reply:@#filterablePreference* \
            repost:@#filterablePreference* repostViaRepost:@#filterablePreference* \
            starterpackJoined:@#preference* subscribedPost:@#preference* unverified:@#preference* \
            verified:@#preference*}
            .defs#activitySubscription {post:b* reply:b*}
            .defs#subjectActivitySubscription {subject:s'did* \
            activitySubscription:@#activitySubscription*}
            .getPreferences> {preferences:@.defs#preferences*}
            .getUnreadCount> {count:i*}
            .listActivitySubscriptions> {cursor:s subscriptions:[@app.bsky.actor.defs#profileView]*}
            .listNotifications> {cursor:s notifications:[@#notification]* priority:b seenAt:s'datetime}
            .listNotifications#notification {uri:s'at-uri* cid:s'cid* \
            author:@app.bsky.actor.defs#profileView* reason:s(~like repost follow mention reply quote \
            starterpack-joined verified unverified like-via-repost repost-via-repost subscribed-post \
            contact-match)* reasonSubject:s'at-uri record:u* \
            starterPack:@app.bsky.graph.defs#starterPackViewBasic isRead:b* indexedAt:s'datetime* \
            labels:[@com.atproto.label.defs#label]}
            .putActivitySubscription< {subject:s'did* activitySubscription:@.defs#activitySubscription*}
            .putActivitySubscription> {subject:s'did* activitySubscription:@.defs#activitySubscription}
            .putPreferences< {priority:b*}
            .putPreferencesV2< {chat:@.defs#chatPreference follow:@.defs#filterablePreference \
            like:@.defs#filterablePreference likeViaRepost:@.defs#filterablePreference \
            mention:@.defs#filterablePreference quote:@.defs#filterablePreference \
            reply:@.defs#filterablePreference repost:@.defs#filterablePreference \
            repostViaRepost:@.defs#filterablePreference starterpackJoined:@.defs#preference \
            subscribedPost:@.defs#preference unverified:@.defs#preference verified:@.defs#preference}
            .putPreferencesV2> {preferences:@.defs#preferences*}
            .registerPush< {serviceDid:s'did* token:s* platform:s(~ios android web)* appId:s* \
            ageRestricted:b}
            .unregisterPush< {serviceDid:s'did* token:s* platform:s(~ios android web)* appId:s*}
            .updateSeen< {seenAt:s'datetime*}
            """
        case "app.bsky.richtext":
            """
            .facet#main {index:@#byteSlice* features:[@(#mention #link #tag)]*}
            .facet#mention {did:s'did*}
            .facet#link {uri:s'uri*}
            .facet#tag {tag:s<640<<64*}
            .facet#byteSlice {byteStart:i>0* byteEnd:i>0*}
            """
        case "app.bsky.unspecced":
            """
            ?getAgeAssuranceState >application/json
            ?getConfig >application/json
            ?getOnboardingSuggestedStarterPacks limit:i>1<25=10 >application/json
            ?getOnboardingSuggestedStarterPacksSkeleton viewer:s'did limit:i>1<25=10 >application/json
            ?getOnboardingSuggestedUsersSkeleton viewer:s'did category:s limit:i>1<50=25 >application/json
            ?getPopularFeedGenerators limit:i>1<100=50 cursor:s query:s >application/json
            ?getPostThreadOtherV2 anchor:s'at-uri* >application/json
            ?getPostThreadV2 anchor:s'at-uri* above:b=true below:i>0<20=6 branchingFactor:i>0<100=10 \
            sort:s(~newest oldest top)=oldest >application/json
            ?getSuggestedFeeds limit:i>1<25=10 >application/json
            ?getSuggestedFeedsSkeleton viewer:s'did limit:i>1<25=10 >application/json
            ?getSuggestedOnboardingUsers category:s limit:i>1<50=25 >application/json
            ?getSuggestedStarterPacks limit:i>1<25=10 >application/json
            ?getSuggestedStarterPacksSkeleton viewer:s'did limit:i>1<25=10 >application/json
            ?getSuggestedUsers category:s limit:i>1<50=25 >application/json
            ?getSuggestedUsersForDiscover limit:i>1<50=25 >application/json
            ?getSuggestedUsersForDiscoverSkeleton viewer:s'did limit:i>1<50=25 >application/json
            ?getSuggestedUsersForExplore category:s limit:i>1<50=25 >application/json
            ?getSuggestedUsersForExploreSkeleton viewer:s'did category:s limit:i>1<50=25 >application/json
            ?getSuggestedUsersForSeeMore category:s limit:i>1<50=25 >application/json
            ?getSuggestedUsersForSeeMoreSkeleton viewer:s'did category:s limit:i>1<50=25 >application/json
            ?getSuggestedUsersSkeleton viewer:s'did category:s limit:i>1<50=25 >application/json
            ?getSuggestionsSkeleton viewer:s'did limit:i>1<100=50 cursor:s relativeToDid:s'did \
            >application/json
            ?getTaggedSuggestions >application/json
            ?getTrendingTopics viewer:s'did limit:i>1<25=10 >application/json
            ?getTrends limit:i>1<25=10 >application/json
            ?getTrendsSkeleton viewer:s'did limit:i>1<25=10 >application/json
            !initAgeAssurance <application/json >application/json %InvalidEmail %DidTooLong \
            %InvalidInitiation
            ?searchActorsSkeleton q:s* viewer:s'did typeahead:b limit:i>1<100=25 cursor:s \
            >application/json %BadQueryString
            ?searchPostsSkeleton q:s* sort:s(~top latest)=latest since:s until:s mentions:s'at-identifier \
            author:s'at-identifier lang:s'language domain:s url:s'uri tag:[s<640<<64] viewer:s'did \
            limit:i>1<100=25 cursor:s >application/json %BadQueryString
            ?searchStarterPacksSkeleton q:s* viewer:s'did limit:i>1<100=25 cursor:s >application/json \
            %BadQueryString
            .defs#skeletonSearchPost {uri:s'at-uri*}
            .defs#skeletonSearchActor {did:s'did*}
            .defs#skeletonSearchStarterPack {uri:s'at-uri*}
            .defs#trendingTopic {topic:s* displayName:s description:s link:s*}
            .defs#skeletonTrend {topic:s* displayName:s* description:s link:s* startedAt:s'datetime* \
            postCount:i* status:s(~hot) category:s dids:[s'did]*}
            .defs#trendView {topic:s* displayName:s* description:s link:s* startedAt:s'datetime* \
            postCount:i* status:s(~hot) category:s actors:[@app.bsky.actor.defs#profileViewBasic]*}
            .defs#threadItemPost {post:@app.bsky.feed.defs#postView* moreParents:b* moreReplies:i* \
            opThread:b* opThreadPostIndex:i opThreadPostCount:i hiddenByThreadgate:b* mutedByViewer:b*}
            .defs#threadItemNoUnauthenticated {}
            .defs#threadItemNotFound {}
            .defs#threadItemBlocked {author:@app.bsky.feed.defs#blockedAuthor*}
            .defs#ageAssuranceState {lastInitiatedAt:s'datetime status:s(~unknown pending assured \
            blocked)*}
            .defs#ageAssuranceEvent {createdAt:s'datetime* status:s(~unknown pending assured)* \
            attemptId:s* email:s initIp:s initUa:s completeIp:s completeUa:s}
            .getAgeAssuranceState> @.defs#ageAssuranceState
            .getConfig> {checkEmailConfirmed:b liveNow:[@#liveNowConfig]}
            .getConfig#liveNowConfig {did:s'did* domains:[s]*}
            .getOnboardingSuggestedStarterPacks> {starterPacks:[@app.bsky.graph.defs#starterPackView]*}
            .getOnboardingSuggestedStarterPacksSkeleton> {starterPacks:[s'at-uri]*}
            .getOnboardingSuggestedUsersSkeleton> {dids:[s'did]* recId:s recIdStr:s}
            .getPopularFeedGenerators> {cursor:s feeds:[@app.bsky.feed.defs#generatorView]*}
            .getPostThreadOtherV2> {thread:[@#threadItem]*}
            .getPostThreadOtherV2#threadItem {uri:s'at-uri* depth:i* value:@(.defs#threadItemPost)*}
            .getPostThreadV2> {thread:[@#threadItem]* threadgate:@app.bsky.feed.defs#threadgateView \
            hasOtherReplies:b*}
            .getPostThreadV2#threadItem {uri:s'at-uri* depth:i* value:@(.defs#threadItemPost \
            .defs#threadItemNoUnauthenticated .defs#threadItemNotFound .defs#threadItemBlocked)*}
            .getSuggestedFeeds> {feeds:[@app.bsky.feed.defs#generatorView]*}
            .getSuggestedFeedsSkeleton> {feeds:[s'at-uri]*}
            .getSuggestedOnboardingUsers> {actors:[@app.bsky.actor.defs#profileView]* recId:s recIdStr:s}
            .getSuggestedStarterPacks> {starterPacks:[@app.bsky.graph.defs#starterPackView]*}
            .getSuggestedStarterPacksSkeleton> {starterPacks:[s'at-uri]*}
            .getSuggestedUsers> {actors:[@app.bsky.actor.defs#profileView]* recId:s recIdStr:s}
            .getSuggestedUsersForDiscover> {actors:[@app.bsky.actor.defs#profileView]* recIdStr:s}
            .getSuggestedUsersForDiscoverSkeleton> {dids:[s'did]* recIdStr:s}
            .getSuggestedUsersForExplore> {actors:[@app.bsky.actor.defs#profileView]* recIdStr:s}
            .getSuggestedUsersForExploreSkeleton> {dids:[s'did]* recIdStr:s}
            .getSuggestedUsersForSeeMore> {actors:[@app.bsky.actor.defs#profileView]* recIdStr:s}
            .getSuggestedUsersForSeeMoreSkeleton> {dids:[s'did]* recIdStr:s}
            .getSuggestedUsersSkeleton> {dids:[s'did]* recId:s recIdStr:s}
            .getSuggestionsSkeleton> {cursor:s actors:[@.defs#skeletonSearchActor]* relativeToDid:s'did \
            recId:i recIdStr:s}
            .getTaggedSuggestions> {suggestions:[@#suggestion]*}
            .getTaggedSuggestions#suggestion {tag:s* subjectType:s(~actor feed)* subject:s'uri*}
            .getTrendingTopics> {topics:[@.defs#trendingTopic]* suggested:[@.defs#trendingTopic]*}
            .getTrends> {trends:[@.defs#trendView]* recIdStr:s}
            .getTrendsSkeleton> {trends:[@.defs#skeletonTrend]* recIdStr:s}
            .initAgeAssurance< {email:s* language:s* countryCode:s*}
            .initAgeAssurance> @.defs#ageAssuranceState
            .searchActorsSkeleton> {cursor:s hitsTotal:i actors:[@.defs#skeletonSearchActor]*}
            .searchPostsSkeleton> {cursor:s hitsTotal:i posts:[@.defs#skeletonSearchPost]*}
            .searchStarterPacksSkeleton> {cursor:s hitsTotal:i \
            starterPacks:[@.defs#skeletonSearchStarterPack]*}
            """
        case "app.bsky.video":
            """
            !abortUpload <application/json >application/json %UploadNotFound %UploadNotReady
            !finishUpload <application/json >application/json %UploadNotFound %UploadExpired %MissingParts \
            %UploadNotReady %UnsupportedContentType %UploadFailed %UploadAborted %ServiceOverloaded
            ?getJobStatus jobId:s* >application/json
            ?getUploadLimits >application/json
            ?getUploadStatus jobId:s>1<256* >application/json %UploadNotFound
            !startUpload <application/json >application/json %UnsupportedContentType %VideoTooLarge \
            %VideoTooLong %BadAspectRatio %DailyLimitExceeded %TooManyOpenUploads %UploadForbidden \
            %ServiceOverloaded
            !uploadPart jobId:s>1<256* partNumber:i>1* <application/octet-stream >application/json \
            %UploadNotFound %UploadExpired %InvalidPartNumber %PartSizeMismatch %UploadNotReady \
            %UploadFailed %UploadAborted %UploadAlreadyCompleted %ServiceOverloaded
            !uploadVideo <video/mp4 >application/json
            .abortUpload< {jobId:s>1<256*}
            .abortUpload> {state:s<32(~aborted completed failed expired)* completedJobId:s>1<256 \
            failureReason:s<1024}
            .defs#jobStatus {jobId:s* did:s'did* state:s(~JOB_STATE_CREATED JOB_STATE_ENCODING \
            JOB_STATE_ENCODED JOB_STATE_SCANNING JOB_STATE_SCANNED JOB_STATE_UPLOADING JOB_STATE_UPLOADED \
            JOB_STATE_COMPLETED JOB_STATE_FAILED)* progress:i>0<100 blob:x error:s \
            failureCode:s(~validation_failure encoding_failure pds_upload_failure \
            pds_upload_unsupported_blob_size generic_failure) message:s}
            .finishUpload< {jobId:s>1<256*}
            .finishUpload> {completedJobId:s>1<256* jobStatus:@.defs#jobStatus*}
            .getJobStatus> {jobStatus:@.defs#jobStatus*}
            .getUploadLimits> {canUpload:b* remainingDailyVideos:i remainingDailyBytes:i message:s \
            error:s}
            .getUploadStatus> {jobId:s>1<256* partSizeBytes:i* partCount:i* receivedParts:[i>1]* \
            expiresAt:s'datetime* state:s<32(~created finishing completed failed aborted expired)* \
            completedJobId:s>1<256 jobStatus:@.defs#jobStatus failureReason:s<1024}
            .startUpload< {sizeBytes:i>1* mimeType:s>3<255* name:s<256 durationMs:i width:i height:i}
            .startUpload> {jobId:s>1<256* partSizeBytes:i* partCount:i* expiresAt:s'datetime*}
            .uploadPart> {partNumber:i>1* sizeBytes:i*}
            .uploadVideo> {jobStatus:@.defs#jobStatus*}
            """
        case "chat.bsky":
            """
            +authFullChatClient "Full Chat Client (All Conversations)" rpc^ m(.actor.deleteAccount \
            .actor.getStatus .convo.acceptConvo .convo.addReaction .convo.deleteMessageForSelf \
            .convo.exportAccountData .convo.getConvo .convo.getConvoAvailability .convo.getConvoForMembers \
            .convo.getConvoMembers .convo.getLog .convo.getMessages .convo.leaveConvo \
            .convo.listConvoRequests .convo.listConvos .convo.lockConvo .convo.muteConvo \
            .convo.removeReaction .convo.sendMessage .convo.sendMessageBatch .convo.unlockConvo \
            .convo.unmuteConvo .convo.updateAllRead .convo.updateRead .group.addMembers \
            .group.approveJoinRequest .group.createGroup .group.createJoinLink .group.disableJoinLink \
            .group.editGroup .group.editJoinLink .group.enableJoinLink .group.getJoinLinkPreviews \
            .group.listJoinRequests .group.listMutualGroups .group.rejectJoinRequest .group.removeMembers \
            .group.requestJoin .group.withdrawJoinRequest) repo a(create update delete) \
            c(.actor.declaration)
            """
        case "chat.bsky.actor":
            """
            !deleteAccount >application/json
            ?exportAccountData >application/jsonl
            ?getStatus >application/json
            =declaration literal:self {allowIncoming:s(~all none following)* allowGroupInvites:s(~all none \
            following)}
            .defs#memberRole s(~owner standard)
            .defs#profileViewBasic {did:s'did* handle:s'handle* displayName:s<640<<64 avatar:s'uri \
            associated:@app.bsky.actor.defs#profileAssociated viewer:@app.bsky.actor.defs#viewerState \
            labels:[@com.atproto.label.defs#label] createdAt:s'datetime chatDisabled:b \
            verification:@app.bsky.actor.defs#verificationState kind:@(#directConvoMember \
            #groupConvoMember #pastGroupConvoMember)}
            .defs#directConvoMember {}
            .defs#groupConvoMember {addedBy:@#profileViewBasic role:@#memberRole*}
            .defs#pastGroupConvoMember {}
            .deleteAccount> {}
            .getStatus> {chatDisabled:b* canCreateGroups:b* groupMemberLimit:i*}
            """
        case "chat.bsky.convo":
            """
            !acceptConvo <application/json >application/json %InvalidConvo
            !addReaction <application/json >application/json %InvalidConvo %ReactionNotAllowed \
            %ReactionMessageDeleted %ReactionLimitReached %ReactionInvalidValue
            !deleteMessageForSelf <application/json >application/json %InvalidConvo \
            %MessageDeleteNotAllowed
            ?getConvo convoId:s* >application/json %InvalidConvo
            ?getConvoAvailability members:[s'did]>1<10* >application/json
            ?getConvoForMembers members:[s'did]>1<10* >application/json %AccountSuspended %BlockedActor \
            %BlockedSubject %MessagesDisabled %NotFollowedBySender %RecipientNotFound
            ?getConvoMembers convoId:s* limit:i>1<100=50 cursor:s >application/json %InvalidConvo
            ?getLog cursor:s >application/json
            ?getMessages convoId:s* limit:i>1<100=50 cursor:s >application/json %InvalidConvo
            ?getUnreadCounts includeGroupChats:b=true >application/json
            !leaveConvo <application/json >application/json %InvalidConvo %OwnerCannotLeave
            ?listConvoRequests limit:i>1<100=50 cursor:s >application/json
            ?listConvos limit:i>1<100=50 cursor:s readState:s(~unread) status:s(~request accepted) \
            kind:s(~direct group) lockStatus:s(~unlocked locked locked-permanently) >application/json
            !lockConvo <application/json >application/json %ConvoLocked %InvalidConvo %InsufficientRole
            !muteConvo <application/json >application/json %InvalidConvo
            !removeReaction <application/json >application/json %InvalidConvo %ReactionNotAllowed \
            %ReactionMessageDeleted %ReactionInvalidValue
            !sendMessage <application/json >application/json %ConvoLocked %InvalidConvo \
            %ReplyTargetNotFound
            !sendMessageBatch <application/json >application/json %ConvoLocked %InvalidConvo \
            %ReplyTargetNotFound
            !unlockConvo <application/json >application/json %InvalidConvo %InsufficientRole \
            %ConvoLockedByModeration
            !unmuteConvo <application/json >application/json %InvalidConvo
            !updateAllRead <application/json >application/json
            !updateRead <application/json >application/json %InvalidConvo
            .acceptConvo< {convoId:s*}
            .acceptConvo> {rev:s}
            .addReaction< {convoId:s* messageId:s* value:s>1>>1<64<<1*}
            .addReaction> {message:@.defs#messageView*}
            .defs#convoKind s(~direct group)
            .defs#convoLockStatus s(~unlocked locked locked-permanently)
            .defs#convoStatus s(~request accepted)
            .defs#convoRef {did:s'did* convoId:s*}
            .defs#messageRef {did:s'did* convoId:s* messageId:s*}
            .defs#messageInput {text:s<10000<<1000* facets:[@app.bsky.richtext.facet] \
            embed:@(app.bsky.embed.record chat.bsky.embed.joinLink) replyTo:@#replyRef}
            .defs#replyRef {messageId:s*}
            .defs#messageView {id:s* rev:s* text:s<10000<<1000* facets:[@app.bsky.richtext.facet] \
            embed:@(app.bsky.embed.record#view chat.bsky.embed.joinLink#view) reactions:[@#reactionView] \
            replyTo:@(#messageView #deletedMessageView #messageBeforeUserJoinedGroupView) \
            sender:@#messageViewSender* sentAt:s'datetime*}
            .defs#systemMessageReferredUser {did:s'did*}
            .defs#systemMessageView {id:s* rev:s* sentAt:s'datetime* data:@(#systemMessageDataAddMember \
            #systemMessageDataRemoveMember #systemMessageDataMemberJoin #systemMessageDataMemberLeave \
            #systemMessageDataLockConvo #systemMessageDataUnlockConvo \
            #systemMessageDataLockConvoPermanently #systemMessageDataEditGroup \
            #systemMessageDataCreateJoinLink #systemMessageDataEditJoinLink \
            #systemMessageDataEnableJoinLink #systemMessageDataDisableJoinLink)*}
            .defs#systemMessageDataAddMember {member:@#systemMessageReferredUser* \
            role:@chat.bsky.actor.defs#memberRole* addedBy:@#systemMessageReferredUser*}
            .defs#systemMessageDataRemoveMember {member:@#systemMessageReferredUser* \
            removedBy:@#systemMessageReferredUser*}
            .defs#systemMessageDataMemberJoin {member:@#systemMessageReferredUser* \
            role:@chat.bsky.actor.defs#memberRole* approvedBy:@#systemMessageReferredUser}
            .defs#systemMessageDataMemberLeave {member:@#systemMessageReferredUser*}
            .defs#systemMessageDataLockConvo {lockedBy:@#systemMessageReferredUser*}
            .defs#systemMessageDataUnlockConvo {unlockedBy:@#systemMessageReferredUser*}
            .defs#systemMessageDataLockConvoPermanently {lockedBy:@#systemMessageReferredUser*}
            .defs#systemMessageDataEditGroup {oldName:s newName:s}
            .defs#systemMessageDataCreateJoinLink {}
            .defs#systemMessageDataEditJoinLink {}
            .defs#systemMessageDataEnableJoinLink {}
            .defs#systemMessageDataDisableJoinLink {}
            .defs#deletedMessageView {id:s* rev:s* sender:@#messageViewSender* sentAt:s'datetime*}
            .defs#messageBeforeUserJoinedGroupView {}
            .defs#messageViewSender {did:s'did*}
            .defs#reactionView {value:s* sender:@#reactionViewSender* createdAt:s'datetime*}
            .defs#reactionViewSender {did:s'did*}
            .defs#messageAndReactionView {message:@#messageView* reaction:@#reactionView*}
            .defs#convoView {id:s* rev:s* members:[@chat.bsky.actor.defs#profileViewBasic]* \
            lastMessage:@(#messageView #deletedMessageView #systemMessageView) \
            lastReaction:@(#messageAndReactionView) muted:b* status:@#convoStatus unreadCount:i* \
            kind:@(#directConvo #groupConvo)}
            .defs#directConvo {}
            .defs#groupConvo {createdAt:s'datetime* joinLink:@chat.bsky.group.defs#joinLinkView \
            joinRequestCount:i lockStatus:@#convoLockStatus* lockStatusModerationOverride:b* \
            memberCount:i* memberLimit:i* name:s<500<<50* unreadJoinRequestCount:i}
            .defs#logBeginConvo {rev:s* convoId:s*}
            .defs#logAcceptConvo {rev:s* convoId:s*}
            .defs#logLeaveConvo {rev:s* convoId:s*}
            .defs#logMuteConvo {rev:s* convoId:s*}
            .defs#logUnmuteConvo {rev:s* convoId:s*}
            .defs#logCreateMessage {rev:s* convoId:s* message:@(#messageView #deletedMessageView)* \
            relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]}
            .defs#logDeleteMessage {rev:s* convoId:s* message:@(#messageView #deletedMessageView)*}
            .defs#logReadMessage {rev:s* convoId:s* message:@(#messageView #deletedMessageView \
            #systemMessageView)*}
            .defs#logAddReaction {rev:s* convoId:s* message:@(#messageView #deletedMessageView)* \
            reaction:@#reactionView* relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]}
            .defs#logRemoveReaction {rev:s* convoId:s* message:@(#messageView #deletedMessageView)* \
            reaction:@#reactionView* relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]}
            .defs#logReadConvo {rev:s* convoId:s* message:@(#messageView #deletedMessageView \
            #systemMessageView)*}
            .defs#logAddMember {rev:s* convoId:s* message:@#systemMessageView* \
            relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]*}
            .defs#logRemoveMember {rev:s* convoId:s* message:@#systemMessageView* \
            relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]*}
            .defs#logMemberJoin {rev:s* convoId:s* message:@#systemMessageView* \
            relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]*}
            .defs#logMemberLeave {rev:s* convoId:s* message:@#systemMessageView* \
            relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]*}
            .defs#logLockConvo {rev:s* convoId:s* message:@#systemMessageView* \
            relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]*}
            .defs#logUnlockConvo {rev:s* convoId:s* message:@#systemMessageView* \
            relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]*}
            .defs#logLockConvoPermanently {rev:s* convoId:s* message:@#systemMessageView* \
            relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]*}
            .defs#logEditGroup {rev:s* convoId:s* message:@#systemMessageView*}
            .defs#logCreateJoinLink {rev:s* convoId:s* message:@#systemMessageView*}
            .defs#logEditJoinLink {rev:s* convoId:s* message:@#systemMessageView*}
            .defs#logEnableJoinLink {rev:s* convoId:s* message:@#systemMessageView*}
            .defs#logDisableJoinLink {rev:s* convoId:s* message:@#systemMessageView*}
            .defs#logIncomingJoinRequest {rev:s* convoId:s* \
            member:@chat.bsky.actor.defs#profileViewBasic*}
            .defs#logApproveJoinRequest {rev:s* convoId:s* member:@chat.bsky.actor.defs#profileViewBasic*}
            .defs#logRejectJoinRequest {rev:s* convoId:s* member:@chat.bsky.actor.defs#profileViewBasic*}
            .defs#logOutgoingJoinRequest {rev:s* convoId:s*}
            .defs#logWithdrawIncomingJoinRequest {rev:s* convoId:s* \
            member:@chat.bsky.actor.defs#profileViewBasic*}
            .defs#logWithdrawOutgoingJoinRequest {rev:s* convoId:s*}
            .defs#logReadJoinRequests {rev:s* convoId:s*}
            .deleteMessageForSelf< {convoId:s* messageId:s*}
            .deleteMessageForSelf> @.defs#deletedMessageView
            .getConvo> {convo:@.defs#convoView*}
            .getConvoAvailability> {canChat:b* convo:@.defs#convoView}
            .getConvoForMembers> {convo:@.defs#convoView*}
            .getConvoMembers> {cursor:s members:[@chat.bsky.actor.defs#profileViewBasic]*}
            .getLog> {cursor:s logs:[@(.defs#logBeginConvo .defs#logAcceptConvo .defs#logLeaveConvo \
            .defs#logMuteConvo .defs#logUnmuteConvo .defs#logCreateMessage .defs#logDeleteMessage \
            .defs#logReadMessage .defs#logAddReaction .defs#logRemoveReaction .defs#logReadConvo \
            .defs#logAddMember .defs#logRemoveMember .defs#logMemberJoin .defs#logMemberLeave \
            .defs#logLockConvo .defs#logUnlockConvo .defs#logLockConvoPermanently .defs#logEditGroup \
            .defs#logCreateJoinLink .defs#logEditJoinLink .defs#logEnableJoinLink .defs#logDisableJoinLink \
            .defs#logIncomingJoinRequest .defs#logApproveJoinRequest .defs#logRejectJoinRequest \
            .defs#logOutgoingJoinRequest .defs#logWithdrawIncomingJoinRequest \
            .defs#logWithdrawOutgoingJoinRequest .defs#logReadJoinRequests)]*}
            .getMessages> {cursor:s messages:[@(.defs#messageView .defs#deletedMessageView \
            .defs#systemMessageView)]* relatedProfiles:[@chat.bsky.actor.defs#profileViewBasic]}
            .getUnreadCounts> {unreadAcceptedConvos:i* unreadRequestConvos:i*}
            .leaveConvo< {convoId:s*}
            .leaveConvo> {convoId:s* rev:s*}
            .listConvoRequests> {cursor:s requests:[@(.defs#convoView \
            chat.bsky.group.defs#joinRequestConvoView)]*}
            .listConvos> {cursor:s convos:[@.defs#convoView]*}
            .lockConvo< {convoId:s*}
            .lockConvo> {convo:@.defs#convoView*}
            .muteConvo< {convoId:s*}
            .muteConvo> {convo:@.defs#convoView*}
            .removeReaction< {convoId:s* messageId:s* value:s>1>>1<64<<1*}
            .removeReaction> {message:@.defs#messageView*}
            .sendMessage< {convoId:s* message:@.defs#messageInput*}
            .sendMessage> @.defs#messageView
            .sendMessageBatch< {items:[@#batchItem]<100*}
            .sendMessageBatch> {items:[@.defs#messageView]*}
            .sendMessageBatch#batchItem {convoId:s* message:@.defs#messageInput*}
            .unlockConvo< {convoId:s*}
            .unlockConvo> {convo:@.defs#convoView*}
            .unmuteConvo< {convoId:s*}
            .unmuteConvo> {convo:@.defs#convoView*}
            .updateAllRead< {status:s(~request accepted)}
            .updateAllRead> {updatedCount:i*}
            .updateRead< {convoId:s* messageId:s}
            .updateRead> {convo:@.defs#convoView*}
            """
        case "chat.bsky.embed":
            """
            .joinLink#main {code:s*}
            .joinLink#view {joinLinkPreview:@(chat.bsky.group.defs#joinLinkPreviewView \
            chat.bsky.group.defs#disabledJoinLinkPreviewView \
            chat.bsky.group.defs#invalidJoinLinkPreviewView)*}
            """
        case "chat.bsky.group":
            """
            !addMembers <application/json >application/json %AccountSuspended %BlockedActor \
            %BlockedSubject %ConvoLocked %InsufficientRole %InvalidConvo %MemberLimitReached \
            %NotFollowedBySender %RecipientNotFound %UserForbidsGroups
            !approveJoinRequest <application/json >application/json %InvalidConvo %InsufficientRole \
            %MemberLimitReached
            !createGroup <application/json >application/json %AccountSuspended %BlockedActor \
            %BlockedSubject %NewAccountCannotCreateGroup %NotFollowedBySender %RecipientNotFound \
            %UserForbidsGroups
            !createJoinLink <application/json >application/json %EnabledJoinLinkAlreadyExists \
            %InvalidConvo %InsufficientRole
            !disableJoinLink <application/json >application/json %InvalidConvo %InsufficientRole \
            %NoJoinLink
            !editGroup <application/json >application/json %ConvoLocked %InvalidConvo %InsufficientRole
            !editJoinLink <application/json >application/json %InvalidConvo %InsufficientRole %NoJoinLink
            !enableJoinLink <application/json >application/json %InvalidConvo %InsufficientRole \
            %NoJoinLink %LinkAlreadyEnabled
            ?getJoinLinkPreviews codes:[s]>1<50* >application/json
            ?listJoinRequests convoId:s* limit:i>1<100=50 cursor:s >application/json %InvalidConvo \
            %InsufficientRole
            ?listMutualGroups subject:s'did* limit:i>1<100=50 cursor:s >application/json
            !rejectJoinRequest <application/json >application/json %InvalidConvo %InsufficientRole
            !removeMembers <application/json >application/json %InvalidConvo %InsufficientRole
            !requestJoin <application/json >application/json %ConvoLocked %FollowRequired %InvalidCode \
            %LinkDisabled %MemberLimitReached %UserKicked
            !updateJoinRequestsRead <application/json >application/json %InvalidConvo %InsufficientRole
            !withdrawJoinRequest <application/json >application/json %InvalidJoinRequest
            .addMembers< {convoId:s* members:[s'did]>1*}
            .addMembers> {convo:@chat.bsky.convo.defs#convoView* \
            addedMembers:[@chat.bsky.actor.defs#profileViewBasic]}
            .approveJoinRequest< {convoId:s* member:s'did*}
            .approveJoinRequest> {convo:@chat.bsky.convo.defs#convoView*}
            .createGroup< {members:[s'did]<10000* name:s>1<500<<50*}
            .createGroup> {convo:@chat.bsky.convo.defs#convoView*}
            .createJoinLink< {convoId:s* requireApproval:b=false joinRule:@.defs#joinRule*}
            .createJoinLink> {joinLink:@.defs#joinLinkView*}
            .defs#linkEnabledStatus s(~enabled disabled)
            .defs#joinRule s(~anyone followedByOwner)
            .defs#joinLinkView {code:s* enabledStatus:@#linkEnabledStatus* requireApproval:b* \
            joinRule:@#joinRule* createdAt:s'datetime*}
            .defs#joinLinkPreviewView {convoId:s* code:s* name:s* \
            owner:@chat.bsky.actor.defs#profileViewBasic* memberCount:i* memberLimit:i* requireApproval:b* \
            joinRule:@#joinRule* convo:@chat.bsky.convo.defs#convoView viewer:@#joinLinkViewerState}
            .defs#disabledJoinLinkPreviewView {code:s*}
            .defs#invalidJoinLinkPreviewView {code:s*}
            .defs#joinLinkViewerState {requestedAt:s'datetime}
            .defs#joinRequestView {convoId:s* requestedBy:@chat.bsky.actor.defs#profileViewBasic* \
            requestedAt:s'datetime*}
            .defs#joinRequestConvoView {convoId:s* name:s* owner:@chat.bsky.actor.defs#profileViewBasic* \
            memberCount:i* memberLimit:i* viewer:@#joinLinkViewerState*}
            .disableJoinLink< {convoId:s*}
            .disableJoinLink> {joinLink:@.defs#joinLinkView*}
            .editGroup< {convoId:s* name:s>1<500<<50*}
            .editGroup> {convo:@chat.bsky.convo.defs#convoView*}
            .editJoinLink< {convoId:s* requireApproval:b joinRule:@.defs#joinRule}
            .editJoinLink> {joinLink:@.defs#joinLinkView*}
            .enableJoinLink< {convoId:s*}
            .enableJoinLink> {joinLink:@.defs#joinLinkView*}
            .getJoinLinkPreviews> {joinLinkPreviews:[@(.defs#joinLinkPreviewView \
            .defs#disabledJoinLinkPreviewView .defs#invalidJoinLinkPreviewView)]*}
            .listJoinRequests> {cursor:s requests:[@.defs#joinRequestView]*}
            .listMutualGroups> {cursor:s convos:[@chat.bsky.convo.defs#convoView]*}
            .rejectJoinRequest< {convoId:s* member:s'did*}
            .rejectJoinRequest> {}
            .removeMembers< {convoId:s* members:[s'did]>1*}
            .removeMembers> {convo:@chat.bsky.convo.defs#convoView*}
            .requestJoin< {code:s*}
            .requestJoin> {status:s(~joined pending)* convo:@chat.bsky.convo.defs#convoView}
            .updateJoinRequestsRead< {convoId:s*}
            .updateJoinRequestsRead> {}
            .withdrawJoinRequest< {convoId:s*}
            .withdrawJoinRequest> {}
            """
        case "chat.bsky.moderation":
            """
            ?getActorMetadata actor:s'did* >application/json
            ?getConvo convoId:s* >application/json %InvalidConvo
            ?getConvoMembers convoId:s* limit:i>1<100=50 cursor:s >application/json %InvalidConvo
            ?getConvos convoIds:[s]>1<100* >application/json
            ?getMessageContext convoId:s messageId:s* before:i=5 after:i=5 \
            maxInterleavedSystemMessages:i>0<1000=10 >application/json
            !updateActorAccess <application/json
            ~subscribeModEvents cursor:s %FutureCursor %ConsumerTooSlow
            .defs#convoView {id:s* rev:s* kind:@(#directConvo #groupConvo)}
            .defs#directConvo {}
            .defs#groupConvo {createdAt:s'datetime* joinLink:@chat.bsky.group.defs#joinLinkView \
            joinRequestCount:i* lockStatus:@chat.bsky.convo.defs#convoLockStatus* memberCount:i* \
            memberLimit:i* name:s<500<<50*}
            .getActorMetadata> {day:@#metadata* month:@#metadata* all:@#metadata*}
            .getActorMetadata#metadata {messagesSent:i* messagesReceived:i* convos:i* convosStarted:i*}
            .getConvo> {convo:@.defs#convoView*}
            .getConvoMembers> {cursor:s members:[@chat.bsky.actor.defs#profileViewBasic]*}
            .getConvos> {convos:[@.defs#convoView]*}
            .getMessageContext> {messages:[@(chat.bsky.convo.defs#messageView \
            chat.bsky.convo.defs#systemMessageView)]*}
            .subscribeModEvents> @(#eventConvoFirstMessage #eventGroupChatCreated \
            #eventGroupChatMemberAdded #eventGroupChatMemberJoined #eventGroupChatJoinRequest \
            #eventGroupChatJoinRequestApproved #eventGroupChatJoinRequestRejected #eventChatAccepted \
            #eventGroupChatMemberLeft #eventGroupChatUpdated #eventRateLimitExceeded)
            .subscribeModEvents#eventConvoFirstMessage {convoId:s* createdAt:s'datetime* messageId:s \
            recipients:[s'did]* rev:s* user:s'did*}
            .subscribeModEvents#eventGroupChatCreated {actorDid:s'did* convoCreatedAt:s'datetime* \
            convoId:s* createdAt:s'datetime* groupMemberCount:i* groupName:s* initialMemberDids:[s'did]* \
            ownerDid:s'did* rev:s*}
            .subscribeModEvents#eventGroupChatMemberAdded {actorDid:s'did* convoCreatedAt:s'datetime* \
            convoId:s* createdAt:s'datetime* groupMemberCount:i* groupName:s* ownerDid:s'did* \
            requestMembersCount:i* rev:s* subjectDid:s'did* subjectFollowsOwner:b*}
            .subscribeModEvents#eventGroupChatMemberJoined {actorDid:s'did* convoCreatedAt:s'datetime* \
            convoId:s* createdAt:s'datetime* groupMemberCount:i* groupName:s* joinLinkCode:s* \
            ownerDid:s'did* rev:s* subjectFollowsOwner:b*}
            .subscribeModEvents#eventGroupChatJoinRequest {actorDid:s'did* convoCreatedAt:s'datetime* \
            convoId:s* createdAt:s'datetime* groupMemberCount:i* groupName:s* joinLinkCode:s* \
            ownerDid:s'did* rev:s* subjectFollowsOwner:b*}
            .subscribeModEvents#eventGroupChatJoinRequestApproved {actorDid:s'did* \
            convoCreatedAt:s'datetime* convoId:s* createdAt:s'datetime* groupMemberCount:i* groupName:s* \
            ownerDid:s'did* rev:s* subjectDid:s'did*}
            .subscribeModEvents#eventGroupChatJoinRequestRejected {actorDid:s'did* \
            convoCreatedAt:s'datetime* convoId:s* createdAt:s'datetime* groupMemberCount:i* groupName:s* \
            ownerDid:s'did* rev:s* subjectDid:s'did*}
            .subscribeModEvents#eventChatAccepted {actorDid:s'did* convoCreatedAt:s'datetime* convoId:s* \
            createdAt:s'datetime* groupMemberCount:i groupName:s method:s(~explicit message)* \
            ownerDid:s'did rev:s*}
            .subscribeModEvents#eventGroupChatMemberLeft {actorDid:s'did* convoCreatedAt:s'datetime* \
            convoId:s* createdAt:s'datetime* groupMemberCount:i* groupName:s* leaveMethod:s(~voluntary \
            kicked)* ownerDid:s'did* rev:s* subjectDid:s'did*}
            .subscribeModEvents#eventGroupChatUpdated {actorDid:s'did* convoCreatedAt:s'datetime* \
            convoId:s* createdAt:s'datetime* groupMemberCount:i* groupName:s* joinLinkCode:s \
            joinLinkFollowersOnly:b joinLinkRequiresApproval:b lockReason:s(~owner_action owner_left \
            owner_deactivated owner_deleted owner_suspended owner_taken_down label_applied \
            convo_taken_down) newName:s oldName:s ownerDid:s'did* rev:s* updateType:s(~name_changed locked \
            locked_permanently unlocked join_link_created join_link_disabled join_link_settings_changed)*}
            .subscribeModEvents#eventRateLimitExceeded {actorDid:s'did* createdAt:s'datetime* endpoint:s* \
            rev:s*}
            .updateActorAccess< {actor:s'did* allowAccess:b* ref:s}
            """
        case "chat.bsky.notification":
            """
            ?getPreferences >application/json
            !putPreferences <application/json >application/json
            .defs#preferences {chat:@#chatPreference* chatRequest:@#chatPreference*}
            .defs#chatPreference {include:s(~all follows)* push:b*}
            .getPreferences> {preferences:@.defs#preferences*}
            .putPreferences< {chat:@.defs#chatPreference chatRequest:@.defs#chatPreference}
            .putPreferences> {preferences:@.defs#preferences*}
            """
        case "com.atproto.admin":
            """
            !deleteAccount <application/json
            !disableAccountInvites <application/json
            !disableInviteCodes <application/json
            !enableAccountInvites <application/json
            ?getAccountInfo did:s'did* >application/json
            ?getAccountInfos dids:[s'did]* >application/json
            ?getInviteCodes sort:s(~recent usage)=recent limit:i>1<500=100 cursor:s >application/json
            ?getSubjectStatus did:s'did uri:s'at-uri blob:s'cid >application/json
            ?searchAccounts email:s cursor:s limit:i>1<100=50 >application/json
            !sendEmail <application/json >application/json
            !updateAccountEmail <application/json
            !updateAccountHandle <application/json
            !updateAccountPassword <application/json
            !updateAccountSigningKey <application/json
            !updateSubjectStatus <application/json >application/json
            .defs#statusAttr {applied:b* ref:s}
            .defs#accountView {did:s'did* handle:s'handle* email:s relatedRecords:[u] \
            indexedAt:s'datetime* invitedBy:@com.atproto.server.defs#inviteCode \
            invites:[@com.atproto.server.defs#inviteCode] invitesDisabled:b emailConfirmedAt:s'datetime \
            inviteNote:s deactivatedAt:s'datetime threatSignatures:[@#threatSignature]}
            .defs#repoRef {did:s'did*}
            .defs#repoBlobRef {did:s'did* cid:s'cid* recordUri:s'at-uri}
            .defs#threatSignature {property:s* value:s*}
            .deleteAccount< {did:s'did*}
            .disableAccountInvites< {account:s'did* note:s}
            .disableInviteCodes< {codes:[s] accounts:[s]}
            .enableAccountInvites< {account:s'did* note:s}
            .getAccountInfo> @.defs#accountView
            .getAccountInfos> {infos:[@.defs#accountView]*}
            .getInviteCodes> {cursor:s codes:[@com.atproto.server.defs#inviteCode]*}
            .getSubjectStatus> {subject:@(.defs#repoRef com.atproto.repo.strongRef .defs#repoBlobRef)* \
            takedown:@.defs#statusAttr deactivated:@.defs#statusAttr}
            .searchAccounts> {cursor:s accounts:[@.defs#accountView]*}
            .sendEmail< {recipientDid:s'did* content:s* subject:s senderDid:s'did* comment:s}
            .sendEmail> {sent:b*}
            .updateAccountEmail< {account:s'at-identifier* email:s*}
            .updateAccountHandle< {did:s'did* handle:s'handle*}
            .updateAccountPassword< {did:s'did* password:s*}
            .updateAccountSigningKey< {did:s'did* signingKey:s'did*}
            .updateSubjectStatus< {subject:@(.defs#repoRef com.atproto.repo.strongRef .defs#repoBlobRef)* \
            takedown:@.defs#statusAttr deactivated:@.defs#statusAttr}
            .updateSubjectStatus> {subject:@(.defs#repoRef com.atproto.repo.strongRef .defs#repoBlobRef)* \
            takedown:@.defs#statusAttr}
            """
        case "com.atproto.identity":
            """
            ?getRecommendedDidCredentials >application/json
            !refreshIdentity <application/json >application/json %HandleNotFound %DidNotFound \
            %DidDeactivated
            !requestPlcOperationSignature
            ?resolveDid did:s'did* >application/json %DidNotFound %DidDeactivated
            ?resolveHandle handle:s'handle* >application/json %HandleNotFound
            ?resolveIdentity identifier:s'at-identifier* >application/json %HandleNotFound %DidNotFound \
            %DidDeactivated
            !signPlcOperation <application/json >application/json
            !submitPlcOperation <application/json
            !updateHandle <application/json
            .defs#identityInfo {did:s'did* handle:s'handle* didDoc:u*}
            .getRecommendedDidCredentials> {rotationKeys:[s] alsoKnownAs:[s] verificationMethods:u \
            services:u}
            .refreshIdentity< {identifier:s'at-identifier*}
            .refreshIdentity> @.defs#identityInfo
            .resolveDid> {didDoc:u*}
            .resolveHandle> {did:s'did*}
            .resolveIdentity> @.defs#identityInfo
            .signPlcOperation< {token:s rotationKeys:[s] alsoKnownAs:[s] verificationMethods:u services:u}
            .signPlcOperation> {operation:u*}
            .submitPlcOperation< {operation:u*}
            .updateHandle< {handle:s'handle*}
            """
        case "com.atproto.label":
            """
            ?queryLabels uriPatterns:[s]* sources:[s'did] limit:i>1<250=50 cursor:s >application/json
            ~subscribeLabels cursor:i %FutureCursor
            .defs#label {ver:i src:s'did* uri:s'uri* cid:s'cid val:s<128* neg:b cts:s'datetime* \
            exp:s'datetime sig:y}
            .defs#selfLabels {values:[@#selfLabel]<10*}
            .defs#selfLabel {val:s<128*}
            .defs#labelValueDefinition {identifier:s<100<<100* severity:s(~inform alert none)* \
            blurs:s(~content media none)* defaultSetting:s(~ignore warn hide)=warn adultOnly:b \
            locales:[@#labelValueDefinitionStrings]*}
            .defs#labelValueDefinitionStrings {lang:s'language* name:s<640<<64* \
            description:s<100000<<10000*}
            .defs#labelValue s(~!hide !warn !no-unauthenticated porn sexual nudity graphic-media bot)
            .queryLabels> {cursor:s labels:[@.defs#label]*}
            .subscribeLabels> @(#labels #info)
            .subscribeLabels#labels {seq:i* labels:[@.defs#label]*}
            .subscribeLabels#info {name:s(~OutdatedCursor)* message:s}
            """
        case "com.atproto.lexicon":
            """
            ?resolveLexicon nsid:s'nsid* >application/json %LexiconNotFound
            .resolveLexicon> {cid:s'cid* schema:@.schema#main* uri:s'at-uri*}
            =schema nsid {lexicon:i*}
            """
        case "com.atproto.moderation":
            """
            !createReport <application/json >application/json
            .createReport< {reasonType:@.defs#reasonType* reason:s<20000<<2000 \
            subject:@(com.atproto.admin.defs#repoRef com.atproto.repo.strongRef)* modTool:@#modTool}
            .createReport> {id:i* reasonType:@.defs#reasonType* reason:s<20000<<2000 \
            subject:@(com.atproto.admin.defs#repoRef com.atproto.repo.strongRef)* reportedBy:s'did* \
            createdAt:s'datetime*}
            .createReport#modTool {name:s* meta:u}
            .defs#reasonType s(~com.atproto.moderation.defs#reasonSpam \
            com.atproto.moderation.defs#reasonViolation com.atproto.moderation.defs#reasonMisleading \
            com.atproto.moderation.defs#reasonSexual com.atproto.moderation.defs#reasonRude \
            com.atproto.moderation.defs#reasonOther com.atproto.moderation.defs#reasonAppeal \
            tools.ozone.report.defs#reasonAppeal tools.ozone.report.defs#reasonOther \
            tools.ozone.report.defs#reasonViolenceAnimal tools.ozone.report.defs#reasonViolenceThreats \
            tools.ozone.report.defs#reasonViolenceGraphicContent \
            tools.ozone.report.defs#reasonViolenceGlorification \
            tools.ozone.report.defs#reasonViolenceExtremistContent \
            tools.ozone.report.defs#reasonViolenceTrafficking tools.ozone.report.defs#reasonViolenceOther \
            tools.ozone.report.defs#reasonSexualAbuseContent tools.ozone.report.defs#reasonSexualNCII \
            tools.ozone.report.defs#reasonSexualDeepfake tools.ozone.report.defs#reasonSexualAnimal \
            tools.ozone.report.defs#reasonSexualUnlabeled tools.ozone.report.defs#reasonSexualOther \
            tools.ozone.report.defs#reasonChildSafetyCSAM tools.ozone.report.defs#reasonChildSafetyGroom \
            tools.ozone.report.defs#reasonChildSafetyPrivacy \
            tools.ozone.report.defs#reasonChildSafetyHarassment \
            tools.ozone.report.defs#reasonChildSafetyOther tools.ozone.report.defs#reasonHarassmentTroll \
            tools.ozone.report.defs#reasonHarassmentTargeted \
            tools.ozone.report.defs#reasonHarassmentHateSpeech \
            tools.ozone.report.defs#reasonHarassmentDoxxing tools.ozone.report.defs#reasonHarassmentOther \
            tools.ozone.report.defs#reasonMisleadingBot \
            tools.ozone.report.defs#reasonMisleadingImpersonation \
            tools.ozone.report.defs#reasonMisleadingSpam tools.ozone.report.defs#reasonMisleadingScam \
            tools.ozone.report.defs#reasonMisleadingElections \
            tools.ozone.report.defs#reasonMisleadingOther tools.ozone.report.defs#reasonRuleSiteSecurity \
            tools.ozone.report.defs#reasonRuleProhibitedSales tools.ozone.report.defs#reasonRuleBanEvasion \
            tools.ozone.report.defs#reasonRuleOther tools.ozone.report.defs#reasonSelfHarmContent \
            tools.ozone.report.defs#reasonSelfHarmED tools.ozone.report.defs#reasonSelfHarmStunts \
            tools.ozone.report.defs#reasonSelfHarmSubstances tools.ozone.report.defs#reasonSelfHarmOther)
            .defs#reasonSpam t
            .defs#reasonViolation t
            .defs#reasonMisleading t
            .defs#reasonSexual t
            .defs#reasonRude t
            .defs#reasonOther t
            .defs#reasonAppeal t
            .defs#subjectType s(~account record chat)
            """
        case "com.atproto.repo":
            """
            !applyWrites <application/json >application/json %InvalidSwap
            !createRecord <application/json >application/json %InvalidSwap
            !deleteRecord <application/json >application/json %InvalidSwap
            ?describeRepo repo:s'at-identifier* >application/json
            ?getRecord repo:s'at-identifier* collection:s'nsid* rkey:s'record-key* cid:s'cid \
            >application/json %RecordNotFound
            !importRepo <application/vnd.ipld.car
            ?listMissingBlobs limit:i>1<1000=500 cursor:s >application/json
            ?listRecords repo:s'at-identifier* collection:s'nsid* limit:i>1<100=50 cursor:s reverse:b \
            >application/json
            !putRecord <application/json >application/json %InvalidSwap
            !uploadBlob <*/* >application/json
            .applyWrites< {repo:s'at-identifier* validate:b writes:[@!(#create #update #delete)]* \
            swapCommit:s'cid}
            .applyWrites> {commit:@.defs#commitMeta results:[@!(#createResult #updateResult \
            #deleteResult)]}
            .applyWrites#create {collection:s'nsid* rkey:s'record-key<512 value:u*}
            .applyWrites#update {collection:s'nsid* rkey:s'record-key* value:u*}
            .applyWrites#delete {collection:s'nsid* rkey:s'record-key*}
            .applyWrites#createResult {uri:s'at-uri* cid:s'cid* validationStatus:s(~valid unknown)}
            .applyWrites#updateResult {uri:s'at-uri* cid:s'cid* validationStatus:s(~valid unknown)}
            .applyWrites#deleteResult {}
            .createRecord< {repo:s'at-identifier* collection:s'nsid* rkey:s'record-key<512 validate:b \
            record:u* swapCommit:s'cid}
            .createRecord> {uri:s'at-uri* cid:s'cid* commit:@.defs#commitMeta validationStatus:s(~valid \
            unknown)}
            .defs#commitMeta {cid:s'cid* rev:s'tid*}
            .deleteRecord< {repo:s'at-identifier* collection:s'nsid* rkey:s'record-key* swapRecord:s'cid \
            swapCommit:s'cid}
            .deleteRecord> {commit:@.defs#commitMeta}
            .describeRepo> {handle:s'handle* did:s'did* didDoc:u* collections:[s'nsid]* \
            handleIsCorrect:b*}
            .getRecord> {uri:s'at-uri* cid:s'cid value:u*}
            .listMissingBlobs> {cursor:s blobs:[@#recordBlob]*}
            .listMissingBlobs#recordBlob {cid:s'cid* recordUri:s'at-uri*}
            .listRecords> {cursor:s records:[@#record]*}
            .listRecords#record {uri:s'at-uri* cid:s'cid* value:u*}
            .putRecord< {repo:s'at-identifier* collection:s'nsid* rkey:s'record-key<512* validate:b \
            record:u* swapRecord:s'cid? swapCommit:s'cid}
            .putRecord> {uri:s'at-uri* cid:s'cid* commit:@.defs#commitMeta validationStatus:s(~valid \
            unknown)}
            .strongRef#main {uri:s'at-uri* cid:s'cid*}
            .uploadBlob> {blob:x*}
            """
        case "com.atproto.server":
            """
            !activateAccount
            ?checkAccountStatus >application/json
            !confirmEmail <application/json %AccountNotFound %ExpiredToken %InvalidToken %InvalidEmail
            !createAccount <application/json >application/json %InvalidHandle %InvalidPassword \
            %InvalidInviteCode %HandleNotAvailable %UnsupportedDomain %UnresolvableDid %IncompatibleDidDoc
            !createAppPassword <application/json >application/json %AccountTakedown
            !createInviteCode <application/json >application/json
            !createInviteCodes <application/json >application/json
            !createSession <application/json >application/json %AccountTakedown %AuthFactorTokenRequired
            !deactivateAccount <application/json
            !deleteAccount <application/json %ExpiredToken %InvalidToken
            !deleteSession %InvalidToken %ExpiredToken
            ?describeServer >application/json
            ?getAccountInviteCodes includeUsed:b=true createAvailable:b=true >application/json \
            %DuplicateCreate
            ?getServiceAuth aud:s<2048* exp:i lxm:s'nsid >application/json %BadExpiration
            ?getSession >application/json
            ?listAppPasswords >application/json %AccountTakedown
            !refreshSession >application/json %AccountTakedown %InvalidToken %ExpiredToken
            !requestAccountDelete
            !requestEmailConfirmation
            !requestEmailUpdate >application/json
            !requestPasswordReset <application/json
            !reserveSigningKey <application/json >application/json
            !resetPassword <application/json %ExpiredToken %InvalidToken
            !revokeAppPassword <application/json
            !updateEmail <application/json %ExpiredToken %InvalidToken %TokenRequired
            .checkAccountStatus> {activated:b* validDid:b* repoCommit:s'cid* repoRev:s* repoBlocks:i* \
            indexedRecords:i* privateStateValues:i* expectedBlobs:i* importedBlobs:i*}
            .confirmEmail< {email:s* token:s*}
            .createAccount< {email:s handle:s'handle* did:s'did inviteCode:s verificationCode:s \
            verificationPhone:s password:s recoveryKey:s plcOp:u}
            .createAccount> {accessJwt:s* refreshJwt:s* handle:s'handle* did:s'did* didDoc:u}
            .createAppPassword< {name:s* privileged:b}
            .createAppPassword> @#appPassword
            .createAppPassword#appPassword {name:s* password:s* createdAt:s'datetime* privileged:b}
            .createInviteCode< {useCount:i* forAccount:s'did}
            .createInviteCode> {code:s*}
            .createInviteCodes< {codeCount:i=1* useCount:i* forAccounts:[s'did]}
            .createInviteCodes> {codes:[@#accountCodes]*}
            .createInviteCodes#accountCodes {account:s* codes:[s]*}
            .createSession< {identifier:s* password:s* authFactorToken:s allowTakendown:b}
            .createSession> {accessJwt:s* refreshJwt:s* handle:s'handle* did:s'did* didDoc:u email:s \
            emailConfirmed:b emailAuthFactor:b active:b status:s(~takendown suspended deactivated)}
            .deactivateAccount< {deleteAfter:s'datetime}
            .defs#inviteCode {code:s* available:i* disabled:b* forAccount:s* createdBy:s* \
            createdAt:s'datetime* uses:[@#inviteCodeUse]*}
            .defs#inviteCodeUse {usedBy:s'did* usedAt:s'datetime*}
            .deleteAccount< {did:s'did* password:s* token:s*}
            .describeServer> {inviteCodeRequired:b phoneVerificationRequired:b blobUploadLimit:i \
            availableUserDomains:[s]* links:@#links contact:@#contact did:s'did*}
            .describeServer#links {privacyPolicy:s'uri termsOfService:s'uri}
            .describeServer#contact {email:s}
            .getAccountInviteCodes> {codes:[@.defs#inviteCode]*}
            .getServiceAuth> {token:s*}
            .getSession> {handle:s'handle* did:s'did* didDoc:u email:s emailConfirmed:b emailAuthFactor:b \
            active:b status:s(~takendown suspended deactivated)}
            .listAppPasswords> {passwords:[@#appPassword]*}
            .listAppPasswords#appPassword {name:s* createdAt:s'datetime* privileged:b}
            .refreshSession> {accessJwt:s* refreshJwt:s* handle:s'handle* did:s'did* didDoc:u email:s \
            emailConfirmed:b emailAuthFactor:b active:b status:s(~takendown suspended deactivated)}
            .requestEmailUpdate> {tokenRequired:b*}
            .requestPasswordReset< {email:s*}
            .reserveSigningKey< {did:s'did}
            .reserveSigningKey> {signingKey:s*}
            .resetPassword< {token:s* password:s*}
            .revokeAppPassword< {name:s*}
            .updateEmail< {email:s* emailAuthFactor:b token:s}
            """
        case "com.atproto.sync":
            """
            ?getBlob did:s'did* cid:s'cid* >*/* %BlobNotFound %RepoNotFound %RepoTakendown %RepoSuspended \
            %RepoDeactivated
            ?getBlocks did:s'did* cids:[s'cid]* >application/vnd.ipld.car %BlockNotFound %RepoNotFound \
            %RepoTakendown %RepoSuspended %RepoDeactivated
            ?getCheckout did:s'did* >application/vnd.ipld.car
            ?getHead did:s'did* >application/json %HeadNotFound
            ?getHostStatus hostname:s* >application/json %HostNotFound
            ?getLatestCommit did:s'did* >application/json %RepoNotFound %RepoTakendown %RepoSuspended \
            %RepoDeactivated
            ?getRecord did:s'did* collection:s'nsid* rkey:s'record-key* >application/vnd.ipld.car \
            %RecordNotFound %RepoNotFound %RepoTakendown %RepoSuspended %RepoDeactivated
            ?getRepo did:s'did* since:s'tid >application/vnd.ipld.car %RepoNotFound %RepoTakendown \
            %RepoSuspended %RepoDeactivated
            ?getRepoStatus did:s'did* >application/json %RepoNotFound
            ?listBlobs did:s'did* since:s'tid limit:i>1<1000=500 cursor:s >application/json %RepoNotFound \
            %RepoTakendown %RepoSuspended %RepoDeactivated
            ?listHosts limit:i>1<1000=200 cursor:s >application/json
            ?listRepos limit:i>1<1000=500 cursor:s >application/json
            ?listReposByCollection collection:s'nsid* limit:i>1<2000=500 cursor:s >application/json
            !notifyOfUpdate <application/json
            !requestCrawl <application/json %HostBanned
            ~subscribeRepos cursor:i %FutureCursor %ConsumerTooSlow
            .defs#hostStatus s(~active idle offline throttled banned)
            .getHead> {root:s'cid*}
            .getHostStatus> {hostname:s* seq:i accountCount:i status:@.defs#hostStatus}
            .getLatestCommit> {cid:s'cid* rev:s'tid*}
            .getRepoStatus> {did:s'did* active:b* status:s(~takendown suspended deleted deactivated \
            desynchronized throttled) rev:s'tid}
            .listBlobs> {cursor:s cids:[s'cid]*}
            .listHosts> {cursor:s hosts:[@#host]*}
            .listHosts#host {hostname:s* seq:i accountCount:i status:@.defs#hostStatus}
            .listRepos> {cursor:s repos:[@#repo]*}
            .listRepos#repo {did:s'did* head:s'cid* rev:s'tid* active:b status:s(~takendown suspended \
            deleted deactivated desynchronized throttled)}
            .listReposByCollection> {cursor:s repos:[@#repo]*}
            .listReposByCollection#repo {did:s'did*}
            .notifyOfUpdate< {hostname:s*}
            .requestCrawl< {hostname:s*}
            .subscribeRepos> @(#commit #sync #identity #account #info)
            .subscribeRepos#commit {seq:i* rebase:b* tooBig:b* repo:s'did* commit:l* rev:s'tid* \
            since:s'tid*? blocks:y<2000000* ops:[@#repoOp]<200* blobs:[l]* prevData:l time:s'datetime*}
            .subscribeRepos#sync {seq:i* did:s'did* blocks:y<10000* rev:s* time:s'datetime*}
            .subscribeRepos#identity {seq:i* did:s'did* time:s'datetime* handle:s'handle}
            .subscribeRepos#account {seq:i* did:s'did* time:s'datetime* active:b* status:s(~takendown \
            suspended deleted deactivated desynchronized throttled)}
            .subscribeRepos#info {name:s(~OutdatedCursor)* message:s}
            .subscribeRepos#repoOp {action:s(~create update delete)* path:s* cid:l*? prev:l}
            """
        case "com.atproto.temp":
            """
            !addReservedHandle <application/json >application/json
            ?checkHandleAvailability handle:s'handle* email:s birthDate:s'datetime >application/json \
            %InvalidEmail
            ?checkSignupQueue >application/json
            ?dereferenceScope scope:s* >application/json %InvalidScopeReference
            ?fetchLabels since:i limit:i>1<250=50 >application/json
            !requestPhoneVerification <application/json
            !revokeAccountCredentials <application/json
            .addReservedHandle< {handle:s*}
            .addReservedHandle> {}
            .checkHandleAvailability> {handle:s'handle* result:@(#resultAvailable #resultUnavailable)*}
            .checkHandleAvailability#resultAvailable {}
            .checkHandleAvailability#resultUnavailable {suggestions:[@#suggestion]*}
            .checkHandleAvailability#suggestion {handle:s'handle* method:s*}
            .checkSignupQueue> {activated:b* placeInQueue:i estimatedTimeMs:i}
            .dereferenceScope> {scope:s*}
            .fetchLabels> {labels:[@com.atproto.label.defs#label]*}
            .requestPhoneVerification< {phoneNumber:s*}
            .revokeAccountCredentials< {account:s'at-identifier*}
            """
        case "com.germnetwork":
            """
            =declaration literal:self {version:s>5<14* currentKey:y* messageMe:@#messageMe keyPackage:y \
            continuityProofs:[y]<1000}
            .declaration#messageMe {messageMeUrl:s'uri>1<2047* showButtonTo:s>1<100(~none usersIFollow \
            everyone)*}
            """
        case "internal.bsky.actor":
            """
            ?getProfiles dids:[s'did]<200* viewer:s'did socialProof:[s'did]<200 includeTakedowns:b=false \
            >application/json
            .getProfiles> {profiles:[@app.bsky.actor.defs#profileViewDetailed]*}
            """
        case "site.standard":
            """
            =document tid {bskyPostRef:@com.atproto.repo.strongRef content:@() \
            contributors:[@#contributor] coverImage:x<1000000(image/*) description:s<30000<<3000 \
            labels:@(com.atproto.label.defs#selfLabels) links:@() path:s publishedAt:s'datetime* \
            site:s'uri* tags:[s<1280<<128] textContent:s title:s<5000<<500* updatedAt:s'datetime}
            .document#contributor {did:s'did* displayName:s<1000<<100 role:s<1000<<100}
            =publication tid {basicTheme:@.theme.basic description:s<30000<<3000 icon:x<1000000(image/*) \
            labels:@(com.atproto.label.defs#selfLabels) name:s<5000<<500* preferences:@#preferences \
            url:s'uri*}
            .publication#preferences {showInDiscover:b=true}
            """
        case "site.standard.graph":
            """
            =recommend tid {createdAt:s'datetime* document:s'at-uri*}
            =subscription tid {createdAt:s'datetime publication:s'at-uri*}
            """
        case "site.standard.theme":
            """
            =basic tid {accent:@(.color#rgb)* accentForeground:@(.color#rgb)* background:@(.color#rgb)* \
            foreground:@(.color#rgb)*}
            .color#rgb {b:i>0<255* g:i>0<255* r:i>0<255*}
            .color#rgba {a:i>0<100* b:i>0<255* g:i>0<255* r:i>0<255*}
            """
        case "tools.ozone.communication":
            """
            !createTemplate <application/json >application/json %DuplicateTemplateName
            !deleteTemplate <application/json
            ?listTemplates >application/json
            !updateTemplate <application/json >application/json %DuplicateTemplateName
            .createTemplate< {name:s* contentMarkdown:s* subject:s* lang:s'language createdBy:s'did}
            .createTemplate> @.defs#templateView
            .defs#templateView {id:s* name:s* subject:s contentMarkdown:s* disabled:b* lang:s'language \
            lastUpdatedBy:s'did* createdAt:s'datetime* updatedAt:s'datetime*}
            .deleteTemplate< {id:s*}
            .listTemplates> {communicationTemplates:[@.defs#templateView]*}
            .updateTemplate< {id:s* name:s lang:s'language contentMarkdown:s subject:s updatedBy:s'did \
            disabled:b}
            .updateTemplate> @.defs#templateView
            """
        case "tools.ozone.hosting":
            """
            ?getAccountHistory did:s'did* events:[s(~accountCreated emailUpdated emailConfirmed \
            passwordUpdated handleUpdated)] cursor:s limit:i>1<100=50 >application/json
            .getAccountHistory> {cursor:s events:[@#event]*}
            .getAccountHistory#event {details:@(#accountCreated #emailUpdated #emailConfirmed \
            #passwordUpdated #handleUpdated)* createdBy:s* createdAt:s'datetime*}
            .getAccountHistory#accountCreated {email:s handle:s'handle}
            .getAccountHistory#emailUpdated {email:s*}
            .getAccountHistory#emailConfirmed {email:s*}
            .getAccountHistory#passwordUpdated {}
            .getAccountHistory#handleUpdated {handle:s'handle*}
            """
        case "tools.ozone.moderation":
            """
            !cancelScheduledActions <application/json >application/json
            !emitEvent <application/json >application/json %SubjectHasAction %DuplicateExternalId
            ?getAccountTimeline did:s'did* >application/json %RepoNotFound
            ?getEvent id:i* >application/json
            ?getRecord uri:s'at-uri* cid:s'cid >application/json %RecordNotFound
            ?getRecords uris:[s'at-uri]<100* >application/json
            ?getRepo did:s'did* >application/json %RepoNotFound
            ?getReporterStats dids:[s'did]<100* >application/json
            ?getRepos dids:[s'did]<100* >application/json
            ?getSubjects subjects:[s]>1<100* >application/json
            !listScheduledActions <application/json >application/json
            ?queryEvents types:[s] createdBy:s'did sortDirection:s(asc desc)=desc createdAfter:s'datetime \
            createdBefore:s'datetime subject:s'uri collections:[s'nsid]<20 subjectType:s(~account record \
            conversation) includeAllUserRecords:b=false limit:i>1<100=50 hasComment:b comment:s \
            addedLabels:[s] removedLabels:[s] addedTags:[s] removedTags:[s] reportTypes:[s] policies:[s] \
            modTool:[s] batchId:s ageAssuranceState:s(~pending assured unknown reset blocked) withStrike:b \
            cursor:s >application/json
            ?queryStatuses queueCount:i queueIndex:i queueSeed:s includeAllUserRecords:b subject:s'uri \
            comment:s reportedAfter:s'datetime reportedBefore:s'datetime reviewedAfter:s'datetime \
            hostingDeletedAfter:s'datetime hostingDeletedBefore:s'datetime hostingUpdatedAfter:s'datetime \
            hostingUpdatedBefore:s'datetime hostingStatuses:[s] reviewedBefore:s'datetime includeMuted:b \
            onlyMuted:b reviewState:s(~tools.ozone.moderation.defs#reviewOpen \
            tools.ozone.moderation.defs#reviewClosed tools.ozone.moderation.defs#reviewEscalated \
            tools.ozone.moderation.defs#reviewNone) ignoreSubjects:[s'uri] lastReviewedBy:s'did \
            sortField:s(lastReviewedAt lastReportedAt reportedRecordsCount takendownRecordsCount \
            priorityScore)=lastReportedAt sortDirection:s(asc desc)=desc takendown:b appealed:b \
            limit:i>1<100=50 tags:[s]<25 excludeTags:[s] cursor:s collections:[s'nsid]<20 \
            subjectType:s(~account record conversation) minAccountSuspendCount:i minReportedRecordsCount:i \
            minTakendownRecordsCount:i minPriorityScore:i>0<100 minStrikeCount:i>1 \
            ageAssuranceState:s(~pending assured unknown reset blocked) >application/json
            !scheduleAction <application/json >application/json
            ?searchRepos term:s q:s limit:i>1<100=50 cursor:s >application/json
            .cancelScheduledActions< {subjects:[s'did]<100* comment:s}
            .cancelScheduledActions> @#cancellationResults
            .cancelScheduledActions#cancellationResults {succeeded:[s'did]* \
            failed:[@#failedCancellation]*}
            .cancelScheduledActions#failedCancellation {did:s'did* error:s* errorCode:s}
            .defs#modEventView {id:i* event:@(#modEventTakedown #modEventReverseTakedown #modEventComment \
            #modEventReport #modEventLabel #modEventAcknowledge #modEventEscalate #modEventMute \
            #modEventUnmute #modEventMuteReporter #modEventUnmuteReporter #modEventEmail \
            #modEventResolveAppeal #modEventDivert #modEventTag #accountEvent #identityEvent #recordEvent \
            #modEventPriorityScore #ageAssuranceEvent #ageAssuranceOverrideEvent #ageAssurancePurgeEvent \
            #revokeAccountCredentialsEvent #scheduleTakedownEvent #cancelScheduledTakedownEvent)* \
            subject:@(com.atproto.admin.defs#repoRef com.atproto.repo.strongRef \
            chat.bsky.convo.defs#messageRef chat.bsky.convo.defs#convoRef)* subjectBlobCids:[s]* \
            createdBy:s'did* createdAt:s'datetime* creatorHandle:s subjectHandle:s modTool:@#modTool}
            .defs#modEventViewDetail {id:i* event:@(#modEventTakedown #modEventReverseTakedown \
            #modEventComment #modEventReport #modEventLabel #modEventAcknowledge #modEventEscalate \
            #modEventMute #modEventUnmute #modEventMuteReporter #modEventUnmuteReporter #modEventEmail \
            #modEventResolveAppeal #modEventDivert #modEventTag #accountEvent #identityEvent #recordEvent \
            #modEventPriorityScore #ageAssuranceEvent #ageAssuranceOverrideEvent #ageAssurancePurgeEvent \
            #revokeAccountCredentialsEvent #scheduleTakedownEvent #cancelScheduledTakedownEvent)* \
            subject:@(#repoView #repoViewNotFound #recordView #recordViewNotFound #convoView)* \
            subjectBlobs:[@#blobView]* createdBy:s'did* createdAt:s'datetime* modTool:@#modTool}
            .defs#subjectStatusView {id:i* subject:@(com.atproto.admin.defs#repoRef \
            com.atproto.repo.strongRef chat.bsky.convo.defs#messageRef chat.bsky.convo.defs#convoRef)* \
            hosting:@(#accountHosting #recordHosting) subjectBlobCids:[s'cid] subjectRepoHandle:s \
            updatedAt:s'datetime* createdAt:s'datetime* reviewState:@#subjectReviewState* comment:s \
            priorityScore:i>0<100 muteUntil:s'datetime muteReportingUntil:s'datetime lastReviewedBy:s'did \
            lastReviewedAt:s'datetime lastReportedAt:s'datetime lastAppealedAt:s'datetime takendown:b \
            appealed:b suspendUntil:s'datetime tags:[s] accountStats:@#accountStats \
            recordsStats:@#recordsStats accountStrike:@#accountStrike ageAssuranceState:s(~pending assured \
            unknown reset blocked) ageAssuranceUpdatedBy:s(~admin user)}
            .defs#subjectView {type:@com.atproto.moderation.defs#subjectType* subject:s* \
            status:@#subjectStatusView repo:@#repoViewDetail profile:@() record:@#recordViewDetail}
            .defs#accountStats {reportCount:i appealCount:i suspendCount:i escalateCount:i \
            takedownCount:i}
            .defs#recordsStats {totalReports:i reportedCount:i escalatedCount:i appealedCount:i \
            subjectCount:i pendingCount:i processedCount:i takendownCount:i}
            .defs#accountStrike {activeStrikeCount:i totalStrikeCount:i firstStrikeAt:s'datetime \
            lastStrikeAt:s'datetime}
            .defs#subjectReviewState s(~tools.ozone.moderation.defs#reviewOpen \
            tools.ozone.moderation.defs#reviewEscalated tools.ozone.moderation.defs#reviewClosed \
            tools.ozone.moderation.defs#reviewNone)
            .defs#reviewOpen t
            .defs#reviewEscalated t
            .defs#reviewClosed t
            .defs#reviewNone t
            .defs#modEventTakedown {comment:s durationInHours:i acknowledgeAccountSubjects:b \
            policies:[s]<5 severityLevel:s targetServices:[s(~appview pds)] strikeCount:i \
            strikeExpiresAt:s'datetime}
            .defs#modEventReverseTakedown {comment:s policies:[s]<5 severityLevel:s strikeCount:i}
            .defs#modEventResolveAppeal {comment:s}
            .defs#modEventComment {comment:s sticky:b}
            .defs#modEventReport {comment:s isReporterMuted:b \
            reportType:@com.atproto.moderation.defs#reasonType*}
            .defs#modEventLabel {comment:s createLabelVals:[s]* negateLabelVals:[s]* durationInHours:i}
            .defs#modEventPriorityScore {comment:s score:i>0<100*}
            .defs#ageAssuranceEvent {createdAt:s'datetime* attemptId:s* status:s(~unknown pending \
            assured)* access:@app.bsky.ageassurance.defs#access countryCode:s regionCode:s initIp:s \
            initUa:s completeIp:s completeUa:s}
            .defs#ageAssuranceOverrideEvent {status:s(~assured reset blocked)* \
            access:@app.bsky.ageassurance.defs#access comment:s>1*}
            .defs#ageAssurancePurgeEvent {comment:s>1*}
            .defs#revokeAccountCredentialsEvent {comment:s>1*}
            .defs#modEventAcknowledge {comment:s acknowledgeAccountSubjects:b}
            .defs#modEventEscalate {comment:s}
            .defs#modEventMute {comment:s durationInHours:i*}
            .defs#modEventUnmute {comment:s}
            .defs#modEventMuteReporter {comment:s durationInHours:i}
            .defs#modEventUnmuteReporter {comment:s}
            .defs#modEventEmail {subjectLine:s* content:s comment:s policies:[s]<5 severityLevel:s \
            strikeCount:i strikeExpiresAt:s'datetime isDelivered:b}
            .defs#modEventDivert {comment:s}
            .defs#modEventTag {add:[s]* remove:[s]* comment:s durationInHours:i}
            .defs#accountEvent {comment:s active:b* status:s(~unknown deactivated deleted takendown \
            suspended tombstoned) timestamp:s'datetime*}
            .defs#identityEvent {comment:s handle:s'handle pdsHost:s'uri tombstone:b \
            timestamp:s'datetime*}
            .defs#recordEvent {comment:s op:s(~create update delete)* cid:s'cid timestamp:s'datetime*}
            .defs#scheduleTakedownEvent {comment:s executeAt:s'datetime executeAfter:s'datetime \
            executeUntil:s'datetime}
            .defs#cancelScheduledTakedownEvent {comment:s}
            .defs#repoView {did:s'did* handle:s'handle* email:s relatedRecords:[u]* indexedAt:s'datetime* \
            moderation:@#moderation* invitedBy:@com.atproto.server.defs#inviteCode invitesDisabled:b \
            inviteNote:s deactivatedAt:s'datetime \
            threatSignatures:[@com.atproto.admin.defs#threatSignature]}
            .defs#repoViewDetail {did:s'did* handle:s'handle* email:s relatedRecords:[u]* \
            indexedAt:s'datetime* moderation:@#moderationDetail* labels:[@com.atproto.label.defs#label] \
            invitedBy:@com.atproto.server.defs#inviteCode invites:[@com.atproto.server.defs#inviteCode] \
            invitesDisabled:b inviteNote:s emailConfirmedAt:s'datetime deactivatedAt:s'datetime \
            threatSignatures:[@com.atproto.admin.defs#threatSignature]}
            .defs#repoViewNotFound {did:s'did*}
            .defs#recordView {uri:s'at-uri* cid:s'cid* value:u* blobCids:[s'cid]* indexedAt:s'datetime* \
            moderation:@#moderation* repo:@#repoView*}
            .defs#recordViewDetail {uri:s'at-uri* cid:s'cid* value:u* blobs:[@#blobView]* \
            labels:[@com.atproto.label.defs#label] indexedAt:s'datetime* moderation:@#moderationDetail* \
            repo:@#repoView*}
            .defs#recordViewNotFound {uri:s'at-uri*}
            .defs#convoView {did:s'did* convoId:s*}
            .defs#moderation {subjectStatus:@#subjectStatusView}
            .defs#moderationDetail {subjectStatus:@#subjectStatusView}
            .defs#blobView {cid:s'cid* mimeType:s* size:i* createdAt:s'datetime* details:@(#imageDetails \
            #videoDetails) moderation:@#moderation}
            .defs#imageDetails {width:i* height:i*}
            .defs#videoDetails {width:i* height:i* length:i*}
            .defs#accountHosting {status:s(~takendown suspended deleted deactivated unknown)* \
            updatedAt:s'datetime createdAt:s'datetime deletedAt:s'datetime deactivatedAt:s'datetime \
            reactivatedAt:s'datetime}
            .defs#recordHosting {status:s(~deleted unknown)* updatedAt:s'datetime createdAt:s'datetime \
            deletedAt:s'datetime}
            .defs#reporterStats {did:s'did* accountReportCount:i* recordReportCount:i* \
            reportedAccountCount:i* reportedRecordCount:i* takendownAccountCount:i* \
            takendownRecordCount:i* labeledAccountCount:i* labeledRecordCount:i*}
            .defs#modTool {name:s* meta:u}
            .defs#timelineEventPlcCreate t
            .defs#timelineEventPlcOperation t
            .defs#timelineEventPlcTombstone t
            .defs#scheduledActionView {id:i* action:s(~takedown)* eventData:u did:s'did* \
            executeAt:s'datetime executeAfter:s'datetime executeUntil:s'datetime randomizeExecution:b \
            createdBy:s'did* createdAt:s'datetime* updatedAt:s'datetime status:s(~pending executed \
            cancelled failed)* lastExecutedAt:s'datetime lastFailureReason:s executionEventId:i}
            .emitEvent< {event:@(.defs#modEventTakedown .defs#modEventAcknowledge .defs#modEventEscalate \
            .defs#modEventComment .defs#modEventLabel .defs#modEventReport .defs#modEventMute \
            .defs#modEventUnmute .defs#modEventMuteReporter .defs#modEventUnmuteReporter \
            .defs#modEventReverseTakedown .defs#modEventResolveAppeal .defs#modEventEmail \
            .defs#modEventDivert .defs#modEventTag .defs#accountEvent .defs#identityEvent \
            .defs#recordEvent .defs#modEventPriorityScore .defs#ageAssuranceEvent \
            .defs#ageAssuranceOverrideEvent .defs#ageAssurancePurgeEvent \
            .defs#revokeAccountCredentialsEvent .defs#scheduleTakedownEvent \
            .defs#cancelScheduledTakedownEvent)* subject:@(com.atproto.admin.defs#repoRef \
            com.atproto.repo.strongRef)* subjectBlobCids:[s'cid] createdBy:s'did* modTool:@.defs#modTool \
            externalId:s reportAction:@#reportAction}
            .emitEvent> @.defs#modEventView
            .emitEvent#reportAction {ids:[i] types:[s] all:b note:s}
            .getAccountTimeline> {timeline:[@#timelineItem]*}
            .getAccountTimeline#timelineItem {day:s* summary:[@#timelineItemSummary]*}
            .getAccountTimeline#timelineItemSummary {eventSubjectType:s(~account record chat)* \
            eventType:s(~tools.ozone.moderation.defs#modEventTakedown \
            tools.ozone.moderation.defs#modEventReverseTakedown \
            tools.ozone.moderation.defs#modEventComment tools.ozone.moderation.defs#modEventReport \
            tools.ozone.moderation.defs#modEventLabel tools.ozone.moderation.defs#modEventAcknowledge \
            tools.ozone.moderation.defs#modEventEscalate tools.ozone.moderation.defs#modEventMute \
            tools.ozone.moderation.defs#modEventUnmute tools.ozone.moderation.defs#modEventMuteReporter \
            tools.ozone.moderation.defs#modEventUnmuteReporter tools.ozone.moderation.defs#modEventEmail \
            tools.ozone.moderation.defs#modEventResolveAppeal tools.ozone.moderation.defs#modEventDivert \
            tools.ozone.moderation.defs#modEventTag tools.ozone.moderation.defs#accountEvent \
            tools.ozone.moderation.defs#identityEvent tools.ozone.moderation.defs#recordEvent \
            tools.ozone.moderation.defs#modEventPriorityScore \
            tools.ozone.moderation.defs#revokeAccountCredentialsEvent \
            tools.ozone.moderation.defs#ageAssuranceEvent \
            tools.ozone.moderation.defs#ageAssuranceOverrideEvent \
            tools.ozone.moderation.defs#timelineEventPlcCreate \
            tools.ozone.moderation.defs#timelineEventPlcOperation \
            tools.ozone.moderation.defs#timelineEventPlcTombstone \
            tools.ozone.hosting.getAccountHistory#accountCreated \
            tools.ozone.hosting.getAccountHistory#emailConfirmed \
            tools.ozone.hosting.getAccountHistory#passwordUpdated \
            tools.ozone.hosting.getAccountHistory#handleUpdated \
            tools.ozone.moderation.defs#scheduleTakedownEvent \
            tools.ozone.moderation.defs#cancelScheduledTakedownEvent)* count:i*}
            .getEvent> @.defs#modEventViewDetail
            .getRecord> @.defs#recordViewDetail
            .getRecords> {records:[@(.defs#recordViewDetail .defs#recordViewNotFound)]*}
            .getRepo> @.defs#repoViewDetail
            .getReporterStats> {stats:[@.defs#reporterStats]*}
            .getRepos> {repos:[@(.defs#repoViewDetail .defs#repoViewNotFound)]*}
            .getSubjects> {subjects:[@.defs#subjectView]*}
            .listScheduledActions< {startsAfter:s'datetime endsBefore:s'datetime subjects:[s'did]<100 \
            statuses:[s(~pending executed cancelled failed)]>1* limit:i>1<100=50 cursor:s}
            .listScheduledActions> {actions:[@.defs#scheduledActionView]* cursor:s}
            .queryEvents> {cursor:s events:[@.defs#modEventView]*}
            .queryStatuses> {cursor:s subjectStatuses:[@.defs#subjectStatusView]*}
            .scheduleAction< {action:@(#takedown)* subjects:[s'did]<100* createdBy:s'did* \
            scheduling:@#schedulingConfig* modTool:@.defs#modTool}
            .scheduleAction> @#scheduledActionResults
            .scheduleAction#takedown {comment:s durationInHours:i acknowledgeAccountSubjects:b \
            policies:[s]<5 severityLevel:s strikeCount:i strikeExpiresAt:s'datetime emailContent:s \
            emailSubject:s}
            .scheduleAction#schedulingConfig {executeAt:s'datetime executeAfter:s'datetime \
            executeUntil:s'datetime}
            .scheduleAction#scheduledActionResults {succeeded:[s'did]* failed:[@#failedScheduling]*}
            .scheduleAction#failedScheduling {subject:s'did* error:s* errorCode:s}
            .searchRepos> {cursor:s repos:[@.defs#repoView]*}
            """
        case "tools.ozone.queue":
            """
            !assignModerator <application/json >application/json %InvalidAssignment
            !createQueue <application/json >application/json %InvalidRecommendedPolicies %ConflictingQueue
            !deleteQueue <application/json >application/json
            ?getAssignments onlyActive:b=true queueIds:[i] dids:[s'did] limit:i>1<100=50 cursor:s \
            >application/json
            ?listQueues enabled:b subjectType:s collection:s reportTypes:[s]<10 limit:i>1<100=50 cursor:s \
            >application/json
            !routeReports <application/json >application/json %OutOfRange
            !unassignModerator <application/json %InvalidAssignment
            !updateQueue <application/json >application/json %InvalidRecommendedPolicies
            .assignModerator< {queueId:i* did:s*}
            .assignModerator> @.defs#assignmentView
            .createQueue< {name:s* subjectTypes:[s(~account record message conversation)] \
            collection:s'nsid reportTypes:[s]<25 description:s recommendedPolicies:[s]}
            .createQueue> {queue:@.defs#queueView*}
            .defs#queueView {id:i* name:s* subjectTypes:[s(~account record message conversation)] \
            collection:s'nsid reportTypes:[s] description:s recommendedPolicies:[s] createdBy:s'did* \
            createdAt:s'datetime* updatedAt:s'datetime* enabled:b* deletedAt:s'datetime \
            stats:@#queueStats*}
            .defs#queueStats {pendingCount:i actionedCount:i escalatedCount:i inboundCount:i actionRate:i \
            avgHandlingTimeSec:i lastUpdated:s'datetime}
            .defs#assignmentView {id:i* did:s'did* moderator:@tools.ozone.team.defs#member \
            queue:@#queueView* startAt:s'datetime* endAt:s'datetime}
            .deleteQueue< {queueId:i* migrateToQueueId:i}
            .deleteQueue> {deleted:b* reportsMigrated:i}
            .getAssignments> {cursor:s assignments:[@.defs#assignmentView]*}
            .listQueues> {cursor:s queues:[@.defs#queueView]*}
            .routeReports< {startReportId:i* endReportId:i*}
            .routeReports> {assigned:i* unmatched:i*}
            .unassignModerator< {queueId:i* did:s'did*}
            .updateQueue< {queueId:i* name:s enabled:b description:s recommendedPolicies:[s]}
            .updateQueue> {queue:@.defs#queueView*}
            """
        case "tools.ozone.report":
            """
            !assignModerator <application/json >application/json %AlreadyAssigned %InvalidAssignment
            !closeReports <application/json >application/json
            !createActivity <application/json >application/json %ReportNotFound %InvalidStateTransition \
            %AlreadyInTargetState
            ?getAssignments onlyActive:b=true reportIds:[i]<50 dids:[s'did]<50 limit:i>1<100=50 cursor:s \
            >application/json
            ?getHistoricalStats queueId:i moderatorDid:s'did reportTypes:[s] startDate:s'datetime \
            endDate:s'datetime limit:i>1<100=30 cursor:s >application/json
            ?getLatestReport >application/json %NotFound
            ?getLiveStats queueId:i moderatorDid:s'did reportTypes:[s] >application/json
            ?getReport id:i* >application/json %NotFound
            ?listActivities reportId:i* limit:i>1<100=50 cursor:s >application/json
            ?queryActivities activityTypes:[s] createdAfter:s'datetime createdBefore:s'datetime \
            sortDirection:s(asc desc)=desc limit:i>1<100=50 cursor:s >application/json
            ?queryReports queueId:i reportTypes:[s] status:s(~open closed escalated queued assigned)* \
            subject:s'uri did:s'did subjectType:s(~account record message conversation) \
            collections:[s'nsid]<20 reportedAfter:s'datetime reportedBefore:s'datetime isMuted:b=false \
            assignedTo:s'did sortField:s(createdAt updatedAt)=createdAt sortDirection:s(asc desc)=desc \
            limit:i>1<100=50 cursor:s >application/json
            !reassignQueue <application/json >application/json %ReportNotFound %ReportClosed \
            %AlreadyInTargetQueue %QueueNotFound %QueueDisabled
            !refreshStats <application/json >application/json
            !unassignModerator <application/json >application/json %InvalidAssignment
            .assignModerator< {reportId:i* queueId:i did:s'did isPermanent:b}
            .assignModerator> @.defs#assignmentView
            .closeReports< {subject:s'uri* reportTypes:[s] internalNote:s isAutomated:b=false}
            .closeReports> {closedCount:i* reportIds:[i]*}
            .createActivity< {reportId:i eventId:i activity:@(.defs#queueActivity .defs#assignmentActivity \
            .defs#escalationActivity .defs#closeActivity .defs#reopenActivity .defs#noteActivity)* \
            internalNote:s publicNote:s isAutomated:b=false}
            .createActivity> {activity:@.defs#reportActivityView*}
            .defs#reasonType s(~tools.ozone.report.defs#reasonAppeal tools.ozone.report.defs#reasonOther \
            tools.ozone.report.defs#reasonViolenceAnimal tools.ozone.report.defs#reasonViolenceThreats \
            tools.ozone.report.defs#reasonViolenceGraphicContent \
            tools.ozone.report.defs#reasonViolenceGlorification \
            tools.ozone.report.defs#reasonViolenceExtremistContent \
            tools.ozone.report.defs#reasonViolenceTrafficking tools.ozone.report.defs#reasonViolenceOther \
            tools.ozone.report.defs#reasonSexualAbuseContent tools.ozone.report.defs#reasonSexualNCII \
            tools.ozone.report.defs#reasonSexualDeepfake tools.ozone.report.defs#reasonSexualAnimal \
            tools.ozone.report.defs#reasonSexualUnlabeled tools.ozone.report.defs#reasonSexualOther \
            tools.ozone.report.defs#reasonChildSafetyCSAM tools.ozone.report.defs#reasonChildSafetyGroom \
            tools.ozone.report.defs#reasonChildSafetyPrivacy \
            tools.ozone.report.defs#reasonChildSafetyHarassment \
            tools.ozone.report.defs#reasonChildSafetyOther tools.ozone.report.defs#reasonHarassmentTroll \
            tools.ozone.report.defs#reasonHarassmentTargeted \
            tools.ozone.report.defs#reasonHarassmentHateSpeech \
            tools.ozone.report.defs#reasonHarassmentDoxxing tools.ozone.report.defs#reasonHarassmentOther \
            tools.ozone.report.defs#reasonMisleadingBot \
            tools.ozone.report.defs#reasonMisleadingImpersonation \
            tools.ozone.report.defs#reasonMisleadingSpam tools.ozone.report.defs#reasonMisleadingScam \
            tools.ozone.report.defs#reasonMisleadingElections \
            tools.ozone.report.defs#reasonMisleadingOther tools.ozone.report.defs#reasonRuleSiteSecurity \
            tools.ozone.report.defs#reasonRuleProhibitedSales tools.ozone.report.defs#reasonRuleBanEvasion \
            tools.ozone.report.defs#reasonRuleOther tools.ozone.report.defs#reasonSelfHarmContent \
            tools.ozone.report.defs#reasonSelfHarmED tools.ozone.report.defs#reasonSelfHarmStunts \
            tools.ozone.report.defs#reasonSelfHarmSubstances tools.ozone.report.defs#reasonSelfHarmOther)
            .defs#reasonAppeal t
            .defs#reasonOther t
            .defs#reasonViolenceAnimal t
            .defs#reasonViolenceThreats t
            .defs#reasonViolenceGraphicContent t
            .defs#reasonViolenceGlorification t
            .defs#reasonViolenceExtremistContent t
            .defs#reasonViolenceTrafficking t
            .defs#reasonViolenceOther t
            .defs#reasonSexualAbuseContent t
            .defs#reasonSexualNCII t
            .defs#reasonSexualDeepfake t
            .defs#reasonSexualAnimal t
            .defs#reasonSexualUnlabeled t
            .defs#reasonSexualOther t
            .defs#reasonChildSafetyCSAM t
            .defs#reasonChildSafetyGroom t
            .defs#reasonChildSafetyPrivacy t
            .defs#reasonChildSafetyHarassment t
            .defs#reasonChildSafetyOther t
            .defs#reasonHarassmentTroll t
            .defs#reasonHarassmentTargeted t
            .defs#reasonHarassmentHateSpeech t
            .defs#reasonHarassmentDoxxing t
            .defs#reasonHarassmentOther t
            .defs#reasonMisleadingBot t
            .defs#reasonMisleadingImpersonation t
            .defs#reasonMisleadingSpam t
            .defs#reasonMisleadingScam t
            .defs#reasonMisleadingElections t
            .defs#reasonMisleadingOther t
            .defs#reasonRuleSiteSecurity t
            .defs#reasonRuleProhibitedSales t
            .defs#reasonRuleBanEvasion t
            .defs#reasonRuleOther t
            .defs#reasonSelfHarmContent t
            .defs#reasonSelfHarmED t
            .defs#reasonSelfHarmStunts t
            .defs#reasonSelfHarmSubstances t
            .defs#reasonSelfHarmOther t
            .defs#reportAssignment {did:s'did* moderator:@tools.ozone.team.defs#member \
            assignedAt:s'datetime*}
            .defs#reportView {id:i* eventId:i* status:s(~open closed escalated queued assigned)* \
            subject:@tools.ozone.moderation.defs#subjectView* \
            reportType:@com.atproto.moderation.defs#reasonType* reportedBy:s'did* \
            reporter:@tools.ozone.moderation.defs#subjectView* comment:s createdAt:s'datetime* \
            updatedAt:s'datetime queuedAt:s'datetime actionEventIds:[i] \
            actions:[@tools.ozone.moderation.defs#modEventView] actionNote:s \
            subjectStatus:@tools.ozone.moderation.defs#subjectStatusView relatedReportCount:i \
            assignment:@#reportAssignment queue:@tools.ozone.queue.defs#queueView isMuted:b \
            isAutomated:b=false}
            .defs#queueActivity {previousStatus:s(~open closed escalated queued assigned)}
            .defs#assignmentActivity {previousStatus:s(~open closed escalated queued assigned)}
            .defs#escalationActivity {previousStatus:s(~open closed escalated queued assigned)}
            .defs#closeActivity {previousStatus:s(~open closed escalated queued assigned)}
            .defs#reopenActivity {previousStatus:s(~open closed escalated queued assigned)}
            .defs#noteActivity {}
            .defs#reportActivityView {id:i* reportId:i* activity:@(#queueActivity #assignmentActivity \
            #escalationActivity #closeActivity #reopenActivity #noteActivity)* internalNote:s publicNote:s \
            meta:u isAutomated:b* createdBy:s'did* moderator:@tools.ozone.team.defs#member \
            report:@#reportView createdAt:s'datetime*}
            .defs#liveStats {pendingCount:i actionedCount:i escalatedCount:i inboundCount:i actionRate:i \
            avgHandlingTimeSec:i lastUpdated:s'datetime}
            .defs#historicalStats {date:s* computedAt:s'datetime pendingCount:i actionedCount:i \
            escalatedCount:i inboundCount:i actionRate:i avgHandlingTimeSec:i}
            .defs#assignmentView {id:i* did:s'did* moderator:@tools.ozone.team.defs#member \
            queue:@tools.ozone.queue.defs#queueView reportId:i* startAt:s'datetime* endAt:s'datetime}
            .getAssignments> {cursor:s assignments:[@.defs#assignmentView]*}
            .getHistoricalStats> {stats:[@.defs#historicalStats]* cursor:s}
            .getLatestReport> {report:@.defs#reportView*}
            .getLiveStats> {stats:@.defs#liveStats*}
            .getReport> @.defs#reportView
            .listActivities> {activities:[@.defs#reportActivityView]* cursor:s}
            .queryActivities> {activities:[@.defs#reportActivityView]* cursor:s}
            .queryReports> {cursor:s reports:[@.defs#reportView]*}
            .reassignQueue< {reportId:i* queueId:i* comment:s}
            .reassignQueue> {report:@.defs#reportView*}
            .refreshStats< {startDate:s* endDate:s* queueIds:[i]}
            .refreshStats> {}
            .unassignModerator< {reportId:i*}
            .unassignModerator> @.defs#assignmentView
            """
        case "tools.ozone.safelink":
            """
            !addRule <application/json >application/json %InvalidUrl %RuleAlreadyExists
            !queryEvents <application/json >application/json
            !queryRules <application/json >application/json
            !removeRule <application/json >application/json %RuleNotFound
            !updateRule <application/json >application/json %RuleNotFound
            .addRule< {url:s* pattern:@.defs#patternType* action:@.defs#actionType* \
            reason:@.defs#reasonType* comment:s createdBy:s'did}
            .addRule> @.defs#event
            .defs#event {id:i* eventType:@#eventType* url:s* pattern:@#patternType* action:@#actionType* \
            reason:@#reasonType* createdBy:s'did* createdAt:s'datetime* comment:s}
            .defs#eventType s(~addRule updateRule removeRule)
            .defs#patternType s(~domain url)
            .defs#actionType s(~block warn whitelist)
            .defs#reasonType s(~csam spam phishing none)
            .defs#urlRule {url:s* pattern:@#patternType* action:@#actionType* reason:@#reasonType* \
            comment:s createdBy:s'did* createdAt:s'datetime* updatedAt:s'datetime*}
            .queryEvents< {cursor:s limit:i>1<100=50 urls:[s] patternType:s sortDirection:s(~asc \
            desc)=desc}
            .queryEvents> {cursor:s events:[@.defs#event]*}
            .queryRules< {cursor:s limit:i>1<100=50 urls:[s] patternType:s actions:[s] reason:s \
            createdBy:s'did sortDirection:s(~asc desc)=desc}
            .queryRules> {cursor:s rules:[@.defs#urlRule]*}
            .removeRule< {url:s* pattern:@.defs#patternType* comment:s createdBy:s'did}
            .removeRule> @.defs#event
            .updateRule< {url:s* pattern:@.defs#patternType* action:@.defs#actionType* \
            reason:@.defs#reasonType* comment:s createdBy:s'did}
            .updateRule> @.defs#event
            """
        case "tools.ozone.server":
            """
            ?getConfig >application/json
            .getConfig> {appview:@#serviceConfig pds:@#serviceConfig blobDivert:@#serviceConfig \
            chat:@#serviceConfig viewer:@#viewerConfig verifierDid:s'did}
            .getConfig#serviceConfig {url:s'uri}
            .getConfig#viewerConfig {role:s(~tools.ozone.team.defs#roleAdmin \
            tools.ozone.team.defs#roleModerator tools.ozone.team.defs#roleTriage \
            tools.ozone.team.defs#roleVerifier)}
            """
        case "tools.ozone.set":
            """
            !addValues <application/json
            !deleteSet <application/json >application/json %SetNotFound
            !deleteValues <application/json %SetNotFound
            ?getValues name:s* limit:i>1<1000=100 cursor:s >application/json %SetNotFound
            ?querySets limit:i>1<100=50 cursor:s namePrefix:s sortBy:s(name createdAt updatedAt)=name \
            sortDirection:s(asc desc)=asc >application/json
            !upsertSet <application/json >application/json
            .addValues< {name:s* values:[s]>1<1000*}
            .defs#set {name:s>3<128* description:s<10240<<1024}
            .defs#setView {name:s>3<128* description:s<10240<<1024 setSize:i* createdAt:s'datetime* \
            updatedAt:s'datetime*}
            .deleteSet< {name:s*}
            .deleteSet> {}
            .deleteValues< {name:s* values:[s]>1*}
            .getValues> {set:@.defs#setView* values:[s]* cursor:s}
            .querySets> {sets:[@.defs#setView]* cursor:s}
            .upsertSet< @.defs#set
            .upsertSet> @.defs#setView
            """
        case "tools.ozone.setting":
            """
            ?listOptions limit:i>1<100=50 cursor:s scope:s(~instance personal)=instance prefix:s \
            keys:[s'nsid]<100 >application/json
            !removeOptions <application/json >application/json
            !upsertOption <application/json >application/json
            .defs#option {key:s'nsid* did:s'did* value:u* description:s<10240<<1024 createdAt:s'datetime \
            updatedAt:s'datetime managerRole:s(~tools.ozone.team.defs#roleModerator \
            tools.ozone.team.defs#roleTriage tools.ozone.team.defs#roleAdmin \
            tools.ozone.team.defs#roleVerifier) scope:s(~instance personal)* createdBy:s'did* \
            lastUpdatedBy:s'did*}
            .listOptions> {cursor:s options:[@.defs#option]*}
            .removeOptions< {keys:[s'nsid]>1<200* scope:s(~instance personal)*}
            .removeOptions> {}
            .upsertOption< {key:s'nsid* scope:s(~instance personal)* value:u* description:s<2000 \
            managerRole:s(~tools.ozone.team.defs#roleModerator tools.ozone.team.defs#roleTriage \
            tools.ozone.team.defs#roleVerifier tools.ozone.team.defs#roleAdmin)}
            .upsertOption> {option:@.defs#option*}
            """
        case "tools.ozone.signature":
            """
            ?findCorrelation dids:[s'did]* >application/json
            ?findRelatedAccounts did:s'did* cursor:s limit:i>1<100=50 >application/json
            ?searchAccounts values:[s]* cursor:s limit:i>1<100=50 >application/json
            .defs#sigDetail {property:s* value:s*}
            .findCorrelation> {details:[@.defs#sigDetail]*}
            .findRelatedAccounts> {cursor:s accounts:[@#relatedAccount]*}
            .findRelatedAccounts#relatedAccount {account:@com.atproto.admin.defs#accountView* \
            similarities:[@.defs#sigDetail]}
            .searchAccounts> {cursor:s accounts:[@com.atproto.admin.defs#accountView]*}
            """
        case "tools.ozone.team":
            """
            !addMember <application/json >application/json %MemberAlreadyExists
            !deleteMember <application/json %MemberNotFound %CannotDeleteSelf
            ?listMembers q:s disabled:b roles:[s] limit:i>1<100=50 cursor:s >application/json
            !updateMember <application/json >application/json %MemberNotFound
            .addMember< {did:s'did* role:s(~tools.ozone.team.defs#roleAdmin \
            tools.ozone.team.defs#roleModerator tools.ozone.team.defs#roleVerifier \
            tools.ozone.team.defs#roleTriage)*}
            .addMember> @.defs#member
            .defs#member {did:s'did* disabled:b profile:@app.bsky.actor.defs#profileViewDetailed \
            createdAt:s'datetime updatedAt:s'datetime lastUpdatedBy:s \
            role:s(~tools.ozone.team.defs#roleAdmin tools.ozone.team.defs#roleModerator \
            tools.ozone.team.defs#roleTriage tools.ozone.team.defs#roleVerifier)*}
            .defs#roleAdmin t
            .defs#roleModerator t
            .defs#roleTriage t
            .defs#roleVerifier t
            .deleteMember< {did:s'did*}
            .listMembers> {cursor:s members:[@.defs#member]*}
            .updateMember< {did:s'did* disabled:b role:s(~tools.ozone.team.defs#roleAdmin \
            tools.ozone.team.defs#roleModerator tools.ozone.team.defs#roleVerifier \
            tools.ozone.team.defs#roleTriage)}
            .updateMember> @.defs#member
            """
        case "tools.ozone.verification":
            """
            !grantVerifications <application/json >application/json
            ?listVerifications cursor:s limit:i>1<100=50 createdAfter:s'datetime createdBefore:s'datetime \
            issuers:[s'did]<100 subjects:[s'did]<100 sortDirection:s(asc desc)=desc isRevoked:b \
            >application/json
            !revokeVerifications <application/json >application/json
            .defs#verificationView {issuer:s'did* uri:s'at-uri* subject:s'did* handle:s'handle* \
            displayName:s* createdAt:s'datetime* revokeReason:s revokedAt:s'datetime revokedBy:s'did \
            subjectProfile:@() issuerProfile:@() subjectRepo:@(tools.ozone.moderation.defs#repoViewDetail \
            tools.ozone.moderation.defs#repoViewNotFound) \
            issuerRepo:@(tools.ozone.moderation.defs#repoViewDetail \
            tools.ozone.moderation.defs#repoViewNotFound)}
            .grantVerifications< {verifications:[@#verificationInput]<100*}
            .grantVerifications> {verifications:[@.defs#verificationView]* \
            failedVerifications:[@#grantError]*}
            .grantVerifications#verificationInput {subject:s'did* handle:s'handle* displayName:s* \
            createdAt:s'datetime}
            .grantVerifications#grantError {error:s* subject:s'did*}
            .listVerifications> {cursor:s verifications:[@.defs#verificationView]*}
            .revokeVerifications< {uris:[s'at-uri]<100* revokeReason:s<1000}
            .revokeVerifications> {revokedVerifications:[s'at-uri]* failedRevocations:[@#revokeError]*}
            .revokeVerifications#revokeError {uri:s'at-uri* error:s*}
            """
        default: nil
        }
    }
}
