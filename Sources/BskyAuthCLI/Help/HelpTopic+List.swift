// Written by scripts/dev/generate from the manuals.

extension HelpTopic {
    /// Every topic, by name.
    static let all = [
        HelpTopic(
            name: "ci", abstract: "Jobs that nobody watches.",
            text: #"""
                  With CI set, or BSKYAUTH_NO_INPUT, or --no-input, nothing is ever asked: what
                  is missing is an error with an exit status of its own. A login takes a
                  browser and a person, once, on any machine; a job needs the session that came
                  of it, and a key file.

                Where a directory stays between jobs
                        export BSKYAUTH_HOME=/var/lib/bot/vault
                        export BSKYAUTH_KEY_FILE=/run/secrets/bskyauth.key
                        bskyauth refresh --all --fail-if-session-ends-within 3d
                        bskyauth call com.atproto.server.getSession

                  It has to be the same directory every time. A refresh spends the stored token
                  and stores the next one, so a copy that is restored for every job replays a
                  spent token, and the server ends the session over it.

                Where nothing stays but a secret store
                  At your desk, make a key for the job, which opens nothing of yours, seal the
                  account for it, and store both:

                        (umask 077; head -c 32 /dev/urandom > job.key)
                        bskyauth accounts export bot --to bot.bundle --recipient-key job.key
                        base64 < job.key | gh secret set BSKYAUTH_KEY
                        gh secret set BSKYAUTH_BUNDLE < bot.bundle && rm bot.bundle

                  In the job, take it in, and have it replaced in the store whenever it is
                  refreshed:

                        (umask 077; printenv KEY | base64 -d > $RUNNER_TEMP/job.key)
                        export BSKYAUTH_KEY_FILE=$RUNNER_TEMP/job.key
                        export BSKYAUTH_RECIPIENT_KEY=$RUNNER_TEMP/job.key
                        export BSKYAUTH_AFTER_ROTATION='gh secret set BSKYAUTH_BUNDLE'
                        printenv BUNDLE | bskyauth accounts import -
                        bskyauth call com.atproto.server.getSession

                  One job at a time: two would spend one token twice. The command is run
                  without a shell, reads the sealed session from its standard input, and has a
                  minute: once before a refresh, so that nothing is spent where the store is not
                  to be had, and once after it. If it fails, so does bskyauth, with exit status
                  1; the same command again hands over what the store lacks. It finds in its
                  environment BSKYAUTH_BUNDLE_ACCOUNT, the UUID of the account,
                  BSKYAUTH_BUNDLE_GENERATION, which is higher the later the session is, and
                  BSKYAUTH_BUNDLE_MOMENT, ‘before’ or ‘after’.

                How often to refresh
                  bskyauth call refreshes by itself when a token is about to end, so a timer is
                  for accounts that are seldom used, and to be told of sessions that end: a
                  daily one will do. The session of a public client ends 14 days after login,
                  however often it is refreshed. Refreshing every 30 minutes gains nothing.

                  bskyauth-refresh.timer is a timer of systemd for a user, which expects a key
                  file at ~/.config/bskyauth/key:

                        systemctl --user enable --now bskyauth-refresh.timer

                  With cron(8), which mails what is said:

                        17 6 * * *  bskyauth refresh --all --quiet --key-file "$HOME/.config/bskyauth/key" --fail-if-session-ends-within 3d
                """#),
        HelpTopic(
            name: "environment", abstract: "The variables that are read.",
            text: #"""
                No variable holds a token, and no file .env is read. An option comes before
                its variable, and an empty variable is as one that is not set.

                BSKYAUTH_ACCOUNT
                        The account that a command is about, as -a.

                BSKYAUTH_AFTER_ROTATION
                        A command that stores sessions elsewhere, as --after-rotation; see
                        bskyauth-ci(7), also for what it finds in its environment.

                BSKYAUTH_BROWSER, BROWSER
                        The command that opens a URL, without a shell. Without one it is
                        xdg-open, where there is a display.

                BSKYAUTH_ALLOW_PRIVATE_NETWORK
                        Servers at private addresses are asked too, as with
                        --allow-private-network: for a server at home, and no other. Link-
                        local addresses are not. A DID document or a server's metadata may
                        name an address of the network that this machine is in, and without it
                        no connection to one is opened.

                BSKYAUTH_BUNDLE_PASSPHRASE_FILE, BSKYAUTH_RECIPIENT_KEY
                        What seals and opens bundles, as --bundle-passphrase-file and
                        --recipient-key.

                BSKYAUTH_CLIENT_ID
                        The URL of a client metadata document, as --client-id.

                BSKYAUTH_DEV_NETWORK
                        The URL of a network on this machine, for tests. It is the only thing
                        that allows plain http, to loopback addresses alone, and every command
                        says that it is set.

                BSKYAUTH_DNS_SERVER
                        Who is asked for the TXT records of handles: an IPv4 address with an
                        optional port, as ‘127.0.0.1:5353’, or the URL of a server over https,
                        as ‘https://dns.quad9.net/dns-query’. Without it this machine's own
                        resolver is.

                BSKYAUTH_HOME
                        The directory of the vault, as --home.

                BSKYAUTH_HTTP_TIMEOUT
                        How long a server may keep one request waiting, as --http-timeout.

                BSKYAUTH_KEY_FILE
                        A file with a key of the vault, as --key-file.

                BSKYAUTH_LOCK_TIMEOUT
                        How long to wait for another process, as --lock-timeout.

                BSKYAUTH_NO_INPUT, CI
                        Nothing is asked, as with --no-input, where one of them is set to
                        something else than ‘0’, ‘no’ or ‘false’.

                BSKYAUTH_PASSPHRASE
                        The passphrase of the vault. No child of the program gets it, but
                        other programs of the user may read it; a file is better.

                BSKYAUTH_PASSPHRASE_COMMAND
                        A command that prints the passphrase, as a password manager has one.
                        It is run without a shell.

                BSKYAUTH_PASSPHRASE_FILE
                        A file whose first line is the passphrase, as --passphrase-file.

                BSKYAUTH_PLC_URL
                        The directory of did:plc, instead of https://plc.directory.

                BSKYAUTH_RESOLVER
                        How accounts are looked up, as --resolver: ‘direct’, or by way of a
                        service that spares requests, ‘slingshot’ or ‘slingshot=URL’. What it
                        says of an account that is logged in to is checked all the same.

                BSKYAUTH_SCOPE
                        The permissions that a login asks for, as --scope, divided by spaces.

                CLICOLOR, CLICOLOR_FORCE, NO_COLOR, TERM
                        Whether there are colours, where --color does not say so.

                CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR
                        The certificates of the authorities that are trusted, as curl(1) has
                        them.

                DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME, SSH_CONNECTION
                        Whether there is a browser here to open; under SSH the tunnel that it
                        takes is shown.

                HTTPS_PROXY, ALL_PROXY, NO_PROXY
                        A proxy, and where none is used. The lower-case names come first.

                XDG_DATA_HOME, XDG_CACHE_HOME, HOME
                        Where the vault and the caches are.
                """#),
        HelpTopic(
            name: "examples", abstract: "From a login to a record, and back.",
            text: #"""
                Log in. The browser opens on the page of the account's own server; the URL is
                shown too:

                      bskyauth login alice.example.com

                Post. The answer has the URI of the new record, whose last part is its key:

                      bskyauth call com.atproto.repo.createRecord \
                          collection=app.bsky.feed.post \
                          record:='{"$type": "app.bsky.feed.post", "text": "Hello!",
                                    "createdAt": "'$(date -u +%Y-%m-%dT%H:%M:%SZ)'"}'

                Read it back: the newest record of that collection, as the account's server
                has it:

                      bskyauth call com.atproto.repo.listRecords \
                          repo=alice.example.com collection=app.bsky.feed.post limit=1

                The same in a script, with text that it did not write, and with jq(1):

                      text="It's 100% \"quoted\""
                      jq -n --arg text "$text" --arg now "$(date -u +%Y-%m-%dT%H:%M:%SZ)" \
                          '{"$type": "app.bsky.feed.post", $text, createdAt: $now}' > post.json
                      uri=$(bskyauth call com.atproto.repo.createRecord \
                          collection=app.bsky.feed.post --file record:=post.json | jq -r .uri)
                      bskyauth call com.atproto.repo.getRecord repo=alice.example.com \
                          collection=app.bsky.feed.post rkey="${uri##*/}" | jq -r .value.text

                Take the record away again:

                      bskyauth call com.atproto.repo.deleteRecord \
                          collection=app.bsky.feed.post rkey="${uri##*/}"

                Look at the accounts, log in to another, go to it and back:

                      bskyauth accounts
                      bskyauth login bot.example.com --label bot
                      bskyauth switch bot
                      bskyauth switch -

                End a session, at its server too:

                      bskyauth logout bot
                """#),
        HelpTopic(
            name: "exit-codes", abstract: "How commands end, for scripts.",
            text: #"""
                0       Done, also where there was nothing to do.
                1       A failure not listed here.
                2       Declined: consent was denied, or a question answered no.
                4       A person has to log in: no account, or a session that is over.
                5       The vault is locked: no key, or a wrong one.
                6       No such account, or several; a handle that does not exist.
                7       The vault is damaged, or of a newer format, or others could read it:
                        bskyauth vault verify.
                8       The session lacks a scope, which the message names.
                9       Rate limited; the error of --json says until when.
                10      The server refused the request.
                11      The server failed; later it may not.
                12      Network, DNS or TLS, or no answer in time; later it may work.
                13      Verification failed: look, and don't retry.
                64      The command line is wrong.
                75      Another process was in the way, or the wait for a login is over;
                        retry.
                130, 143
                        Interrupted; a refresh that had begun is at its end.
                """#),
        HelpTopic(
            name: "items", abstract: "What call takes after the name of a method.",
            text: #"""
                name=value
                        A string, as it stands: a parameter of a query, or a member of the
                        body of a procedure.

                name:=json
                        A typed value in the same place: ‘limit:=5’, ‘langs:='["en"]'’.

                name==value
                        Always a parameter of the URL. Say it again for an array.

                Name:value
                        A header. Those of authorization, of proofs and of framing can't be
                        given.

                What comes first, ‘=’ or ‘:’, decides. A script that did not write the text
                uses --field name=value, which interprets nothing, or --file name=path and
                --file name:=path, which take a text or JSON from a file. --input gives the
                whole body; items are then parameters of the URL.

                A write to a repository that names no ‘repo’ goes to the account's own.
                """#),
        HelpTopic(
            name: "json", abstract: "What goes where, and the form of --json.",
            text: #"""
                Standard output is for data: the answer of a call byte for byte as it came, or
                what a command shows. Questions are asked on the terminal itself, so that
                standard input is for data too, and everything else that is said goes to
                standard error.

                With --json a result is one JSON object on a line, whose ‘schema’ names its
                form, as ‘bskyauth.accounts/1’. Members are added to a form, and none is
                taken away. Times are in UTC, as ‘2026-01-01T12:00:00Z’; what is absent is
                ‘null’, and no secret is in any of it.

                      did=$(bskyauth accounts current --json | jq -r .account.did)

                An error is then one line on standard error:

                      {"error":{"code":"session_expired","message":"...","exit":4,...}}

                ‘code’ is a stable name, ‘hint’ a command that helps, ‘exit’ the exit status,
                ‘retryable’ whether the same command may succeed later, ‘http’ the status of
                the server's answer, ‘server_error’ what the server calls the error, as
                ‘InvalidRequest’, which is its own choice and never becomes the ‘code’,
                ‘retry_at’ when a rate limit ends, and ‘cursor’ where a query that answers in
                pages is to be resumed. The answer of a call is JSON or not, whatever the
                options say.
                """#),
        HelpTopic(
            name: "keys", abstract: "What opens the vault.",
            text: #"""
                Every passphrase and key file opens the same vault key. A passphrase costs
                scrypt with N=131072, r=8, p=1, about 0.4 seconds and 128 MiB; a key file is
                32 random bytes, and costs nothing. They are looked for in this order: a key
                file, the kernel's keyring (bskyauth vault unlock), then a passphrase from
                --passphrase-file, BSKYAUTH_PASSPHRASE_FILE, BSKYAUTH_PASSPHRASE_COMMAND or
                BSKYAUTH_PASSPHRASE, and at last from the terminal.

                A changed passphrase, or a key that was removed, opens the vault no longer,
                but it still opens an old copy of it. Where that matters, bskyauth vault
                rekey makes another vault key and seals everything anew. A vault whose
                passphrases are forgotten and whose key files are gone can't be opened: log in
                again, in another directory. An account that can't be read is removed by its
                UUID, which takes no key: bskyauth logout --local-only UUID.
                """#),
        HelpTopic(
            name: "selecting-accounts", abstract: "Which account a command is about.",
            text: #"""
                A command is about one account, which is the first of these that there is:
                1.   the one that -a names, or that the command takes as its argument;
                2.   the one that BSKYAUTH_ACCOUNT names;
                3.   the pin of this directory, or of the nearest one above it that has one,
                     up to the home of the user;
                4.   the active account: the first one that was logged in to, or what bskyauth
                     switch made it;
                5.   the only account in the vault, where none was ever made the active one.

                bskyauth accounts current says which account that is, and by which of these
                rules; -v has any command say so.

                An account is named by its label, its handle, its DID, its UUID, or the
                beginning of its UUID. A name that no account has, or that several have, is
                an error that lists them, and no other rule is tried. One account may be
                logged in to several times, with a label for each:

                      bskyauth login bot.example.com --label bot
                      bskyauth call -a bot app.bsky.notification.getUnreadCount

                A pin is a file .bskyauth-account, which bskyauth accounts pin writes. It
                holds a UUID and has to be the user's own, and writable by nobody else; one
                that is not, or that leads to no account, is an error. bskyauth logout and
                bskyauth accounts export do not go by pins.
                """#),
    ]
}
