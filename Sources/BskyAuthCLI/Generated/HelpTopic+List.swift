// Written by scripts/dev/generate from the manuals.

extension HelpTopic {
    /// Every topic, by name.
    static let all = [
        HelpTopic(
            name: "ci", abstract: "Running in CI and cron.",
            text: #"""
                  With CI, BSKYAUTH_NO_INPUT or --no-input bskyauth never asks a question. If
                  something is missing, it fails with its own exit status. A person logs in
                  once, in a browser on any machine. The job then needs the session of that
                  login and a key file.

                A vault that stays between jobs
                        set -e
                        export BSKYAUTH_HOME=/var/lib/bot/vault
                        export BSKYAUTH_KEY_FILE=/run/secrets/bskyauth.key
                        bskyauth call com.atproto.server.getSession
                        bskyauth refresh --all --fail-if-session-ends-within 3d

                  The last line warns of a session that ends soon. It comes last, so that a job
                  which warns has done its work.

                  The key file must belong to this user and be closed to others, or be a secret
                  that Kubernetes, Docker or Compose has mounted: a file that root or this user
                  owns, on a read-only file system in memory, or mounted itself. Other users
                  must not be able to change the folders and links that lead to it. If bskyauth
                  refuses the file, the error says why and what to do.

                  Every job must use the same directory, not a copy of it. A refresh token
                  works only once, and a refresh stores the next one in the vault. A job with
                  an older copy would send a token that was already used, and the server would
                  end the session.

                A hosted runner, where nothing stays
                  Keep the session in the secret store of the CI service. The guide
                  docs/ci-hosted.md and the workflow packaging/ci/github-actions-hosted.yml of
                  the source code are for GitHub Actions. Create an environment called
                  ‘bskyauth’ in the settings of the repository. On your machine, create a key
                  for the job, export the account for that key, and store both as secrets of the
                  environment:

                        (umask 077; head -c 32 /dev/urandom > job.key)
                        bskyauth accounts export bot --to bot.bundle --recipient-key job.key
                        gh secret set BSKYAUTH_GH_TOKEN --env bskyauth < github-token.txt
                        base64 < job.key | gh secret set BSKYAUTH_KEY --env bskyauth
                        gh secret set BSKYAUTH_BUNDLE --env bskyauth < bot.bundle
                        gh variable set BSKYAUTH_GENERATION --env bskyauth --body 0
                        rm bot.bundle job.key github-token.txt

                  github-token.txt has a fine-grained token for this repository with the
                  permission “Environments: read and write”. The job's own token can't write
                  secrets.

                  In the job, KEY and BUNDLE are set from the first two secrets, GH_TOKEN is set
                  from the third, and GH_REPO names the repository:

                        (umask 077; printenv KEY | base64 -d > $RUNNER_TEMP/job.key)
                        export BSKYAUTH_KEY_FILE=$RUNNER_TEMP/job.key
                        export BSKYAUTH_RECIPIENT_KEY=$RUNNER_TEMP/job.key
                        export BSKYAUTH_AFTER_ROTATION='bskyauth-store-github bskyauth'
                        generation=$(gh variable get BSKYAUTH_GENERATION --env bskyauth)
                        printenv BUNDLE | bskyauth accounts import - --min-generation "$generation"
                        bskyauth call com.atproto.server.getSession

                  Only one job may use the session at a time. Give the workflow ‘environment:
                  bskyauth’ and a ‘concurrency:’ group with ‘cancel-in-progress: false’. Use
                  secrets of the environment, not of the repository: GitHub reads repository
                  secrets when a run is queued, so a run that waited would use an old session.
                  In a private repository, environments need a paid plan.

                  The variable BSKYAUTH_GENERATION tells which session is the latest. A job
                  that has an older one stops with exit status 75 and uses no token: at the
                  import, or when it tries to store its session before a refresh. This does not
                  help two jobs that refresh in the same second without a ‘concurrency:’ group,
                  and it does not help if a job is killed between the refresh and the update of
                  the secret. The session is then lost, and a person must log in again.

                The command that stores a session elsewhere
                  The command of --after-rotation or BSKYAUTH_AFTER_ROTATION is run without a
                  shell. It reads the encrypted session from its standard input and has one
                  minute. It runs before a refresh, so that no token is used if the store can't
                  be reached, and again after the refresh. If it fails, bskyauth fails with
                  exit status 1. Run the same command again: it first stores what the store
                  lacks. If the store has a later session, the command ends with 75. Before a
                  refresh, bskyauth then uses no token and ends with 75 too. The command has
                  these variables:

                  BSKYAUTH_BUNDLE_ACCOUNT
                          The UUID of the account. Use it in the name of the secret if you
                          store several accounts.

                  BSKYAUTH_BUNDLE_GENERATION
                          A number that grows with every refresh. An import keeps it.

                  BSKYAUTH_BUNDLE_MOMENT
                          ‘before’ or ‘after’.

                  bskyauth-store-github environment is such a command. It stores the session as
                  the secret BSKYAUTH_BUNDLE of a GitHub environment, and its generation as the
                  variable BSKYAUTH_GENERATION.

                How often to refresh
                  bskyauth call refreshes a token that is about to expire. A timer is only
                  needed for accounts that are seldom used, and to learn in time that a session
                  ends. Once a day is enough. A refresh does not extend an OAuth session: it
                  ends 14 days after login. The session of an app password ends 90 days after
                  its last refresh.

                  bskyauth-refresh.timer is a systemd timer for a user, which scripts/install
                  and the Debian package install. It needs a key file at
                  ~/.config/bskyauth/key:

                        systemctl --user enable --now bskyauth-refresh.timer

                  A line for crontab(5), with the full path of the program because the PATH of
                  cron is short:

                        17 6 * * *  /usr/local/bin/bskyauth refresh --all --quiet --key-file "$HOME/.config/bskyauth/key" --fail-if-session-ends-within 3d
                """#),
        HelpTopic(
            name: "environment", abstract: "Environment variables.",
            text: #"""
                A length of time is a number of seconds, or numbers with units, such as ‘90s’,
                ‘1h30m’ or ‘3d’.

                No variable holds a token. bskyauth does not read .env files. An option
                overrides its variable. An empty variable counts as not set.

                BSKYAUTH_ACCOUNT
                        The account to use, like -a.

                BSKYAUTH_AFTER_ROTATION
                        A command that stores a copy of each session elsewhere, like
                        --after-rotation. bskyauth-ci(7) describes it.

                BSKYAUTH_ALLOW_PRIVATE_NETWORK
                        Allow servers at private addresses, like --allow-private-network. Use
                        it only for a server at home: a DID document or a server's metadata
                        can name any address in your network. Link-local addresses and the
                        metadata services of cloud providers are never allowed.

                BSKYAUTH_BROWSER, BROWSER
                        The command that opens a URL. It is run without a shell. Without it,
                        xdg-open is used if there is a display.

                BSKYAUTH_BUNDLE_PASSPHRASE_FILE, BSKYAUTH_RECIPIENT_KEY
                        The key of bundles, like --bundle-passphrase-file and --recipient-key.

                BSKYAUTH_CLIENT_ID
                        The name of a client of your own, or the URL of its metadata document,
                        like --client.

                BSKYAUTH_DEV_NETWORK
                        The URL of a test network on this machine. It allows plain http, to
                        loopback addresses only. Accounts of other networks are refused.
                        Every command that uses the network prints it.

                BSKYAUTH_DNS_SERVER
                        The DNS server for the TXT records of handles and of publishers of
                        lexicons. It is an IPv4 address with an optional port, such as
                        ‘127.0.0.1:5353’, or the URL of a DNS-over-HTTPS server, such as
                        ‘https://dns.quad9.net/dns-query’. Without it, the resolver of this
                        machine is used.

                BSKYAUTH_HOME
                        The vault directory, like --home.

                BSKYAUTH_HTTP_TIMEOUT
                        The time-out for one request, like --http-timeout. Without it, a call
                        ends after 120 seconds in which no byte moves, and has no other limit.
                        Requests for identities and metadata end after 15 seconds, those of a
                        login and a logout after 30 seconds, and a connection is given up
                        after 10 seconds. The time-out replaces each of these limits. A
                        refresh always has 90 seconds.

                BSKYAUTH_KEY_FILE
                        A key file of the vault, like --key-file.

                BSKYAUTH_LEXICONS
                        If it is ‘off’, no publisher of lexicons is asked. Otherwise it is a
                        folder, like --lexicons. On a test network, they are asked only if
                        BSKYAUTH_DNS_SERVER names its DNS server. See bskyauth-help(1).

                BSKYAUTH_LOCK_TIMEOUT
                        How long to wait for another process, like --lock-timeout.

                BSKYAUTH_NO_INPUT, CI
                        Never ask a question, like --no-input, if one of them is set to
                        anything but ‘0’, ‘no’ or ‘false’.

                BSKYAUTH_NO_KEEPER
                        Refresh sessions in the process of the command, without a process that
                        outlives it; see bskyauth-refresh(1).

                BSKYAUTH_PAGER, PAGER, LESS
                        The command that shows long results by pages: see OUTPUT. It is run
                        without a shell. Empty or ‘cat’ means none. Without these variables
                        it is less, with ‘FRX’ as its options unless LESS is set.

                BSKYAUTH_PASSPHRASE
                        The passphrase of the vault. It is not passed to child processes, but
                        other programs of the same user may read it. A file is safer.

                BSKYAUTH_PASSPHRASE_COMMAND
                        A command that prints the passphrase, for example of a password
                        manager. It is run without a shell.

                BSKYAUTH_PASSPHRASE_FILE
                        A file whose first line is the passphrase, like --passphrase-file.
                        bskyauth warns if other users can read the file, unless it is below
                        /run, where containers get their secrets.

                BSKYAUTH_PLC_URL
                        The directory for did:plc, instead of https://plc.directory.

                BSKYAUTH_RESOLVER
                        How to look up accounts, like --resolver: ‘direct’, or a resolver
                        service that needs fewer requests, ‘slingshot’ or ‘slingshot=URL’.
                        For a login, its answers are always verified.

                BSKYAUTH_SCOPE
                        The scopes that a login asks for, like --scope, separated by spaces
                        (see bskyauth-scopes(1)).

                CLICOLOR, CLICOLOR_FORCE, NO_COLOR, TERM
                        Whether to use colors, if --color is not given.

                CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR
                        The trusted certificate authorities, as in curl(1).

                DBUS_SESSION_BUS_ADDRESS
                        Whether there is a desktop session, whose keyring bskyauth vault
                        remember uses.

                DISPLAY, WAYLAND_DISPLAY, WSL_DISTRO_NAME, SSH_CONNECTION
                        Whether this machine has a browser to open. Over SSH, login shows a
                        command that forwards a port.

                HTTPS_PROXY, ALL_PROXY, NO_PROXY
                        The proxy, and the hosts that are reached without it. The lower-case
                        names override these.

                XDG_DATA_HOME, XDG_CACHE_HOME, XDG_STATE_HOME, HOME
                        The directories of the vault, of the cache, and of what bskyauth
                        verify remembers.
                """#),
        HelpTopic(
            name: "examples", abstract: "Log in, post, follow, delete, and other first steps.",
            text: #"""
                Log in. The browser opens the sign-in page of the account's server:

                      bskyauth login alice.example.com

                Post. The response has the URI of the new record:

                      bskyauth call com.atproto.repo.createRecord \
                          collection=app.bsky.feed.post 'record[text]=Hello!'

                Read the newest post back:

                      bskyauth call com.atproto.repo.listRecords \
                          at://alice.example.com/app.bsky.feed.post limit=1

                Post from a script, with any text:

                      text="It's 100% \"quoted\""
                      uri=$(bskyauth call com.atproto.repo.createRecord \
                          collection=app.bsky.feed.post --field "record[text]=$text" --get .uri)
                      bskyauth call com.atproto.repo.getRecord "$uri" --get .value.text

                Delete the post:

                      bskyauth call com.atproto.repo.deleteRecord "$uri"

                Post an image. The record has the ‘blob’ of the upload's response:

                      bskyauth call com.atproto.repo.uploadBlob --input photo.jpg \
                          --get .blob > blob.json
                      bskyauth call com.atproto.repo.createRecord \
                          collection=app.bsky.feed.post 'record[text]=Look!' \
                          'record[embed][$type]=app.bsky.embed.images' \
                          'record[embed][images][0][alt]=A cat in a box' \
                          --file 'record[embed][images][0][image]:=blob.json'

                Follow an account. The record has its DID:

                      did=$(bskyauth resolve bot.example.com --get .did)
                      bskyauth call com.atproto.repo.createRecord \
                          collection=app.bsky.graph.follow "record[subject]=$did"

                List the accounts, log in to another one, switch to it and back:

                      bskyauth accounts
                      bskyauth login bot.example.com --label bot
                      bskyauth switch bot
                      bskyauth switch -

                Log out:

                      bskyauth logout bot
                """#),
        HelpTopic(
            name: "exit-codes", abstract: "Exit statuses, for scripts.",
            text: #"""
                0       Success, even if there was nothing to do.
                1       A failure that is not listed here, for example a vault that can't be
                        written.
                2       Declined: consent was denied, or a question was answered with no.
                4       A person must act: there is no account, its session has ended, it has
                        moved to another server (account_moved), or its server refuses a token
                        that was just issued (token_refused). After token_refused the session
                        may still work: bskyauth doctor checks the clock and the servers.
                5       The vault is locked: no key was given, or a wrong one.
                6       The account is unknown or ambiguous, or the handle or the service does
                        not exist. For bskyauth-verify(1), also a record that is proven to be
                        absent.
                7       The vault is damaged, has a newer format, or is readable by others:
                        bskyauth vault verify.
                8       The session lacks a scope, which the message names, or a login was
                        granted nothing of what it asked for.
                9       A rate limit was reached. With --json the error says when it ends.
                10      The server refused the request, or does not know the method.
                11      Server error: try again later.
                12      Network, DNS or TLS error, or a time-out: try again later.
                13      Verification failed: don't retry, find out why.
                64      The command line is wrong.
                75      Another process is using the account, a later session of it is stored
                        elsewhere, or the login was not finished in time: try again.
                126, 127
                        The program of bskyauth-exec(1) can't be started, or is not found.
                130, 143
                        Interrupted. A refresh that was sent is finished by its keeper, or
                        before the command ends if there is no keeper; see
                        bskyauth-refresh(1).
                """#),
        HelpTopic(
            name: "facets", abstract: "Mentions, links and tags in a text.",
            text: #"""
                The text of a post is plain. Its mentions, links and tags are in ‘facets’,
                which name their places in bytes of the text in UTF-8. --facets finds them in
                the ‘text’ of each record that ‘createRecord’, ‘putRecord’ or ‘applyWrites’
                writes, by the rules of the official apps:
                •   A link begins with ‘https://’, ‘http://’ or a domain such as
                    ‘example.com’. The marks ‘.,;:!?’ at its end are no part of it, nor is a
                    ‘)’ that the link does not open.
                •   A tag is ‘#’ and a word that does not only have digits and punctuation.
                •   A mention is ‘@’ and a handle. The handle is looked up now, and its
                    account must name the handle, too. Otherwise the mention stays text, and
                    a line on standard error says so, as it does if the last label is no top-
                    level domain. If the look-up fails because of the network, nothing is
                    written.

                The places are counted in the text as it is sent, wherever it comes from: an
                item, --file, or --input with JSON of at most 1 MiB, which is then written
                anew. A call is refused if no record has a text, or if a record has ‘facets’
                already. With --dry-run no handle is looked up, so mentions stay text.
                """#),
        HelpTopic(
            name: "items", abstract: "The parameters of a call.",
            text: #"""
                  name=value
                          A string. It is a parameter of a query, or a member of the body of a
                          procedure.

                  name:=json
                          A JSON value in the same place: ‘limit:=5’, ‘langs:='["en"]'’.

                  name==value
                          Always a parameter of the URL. Repeat it for an array.

                  Name:value
                          A header. The headers that bskyauth sets itself, such as
                          ‘Authorization’, can't be given.

                  at://repo/collection/rkey
                          The ‘repo’, ‘collection’ and ‘rkey’ of a method that takes them. The
                          address of a profile, post, feed or list at
                          ‘https://bsky.app/profile/’ means the same. For other methods write a
                          name before it, for example ‘uri=at://...’.

                  The first ‘=’ or ‘:’ in an item decides its kind. In a script, use --field
                  name=value for text that the script did not write: nothing in the value is
                  interpreted. --file name=path takes a text from a file, and --file name:=path
                  takes JSON from a file. The path ‘-’ is standard input, as for every command
                  (see bskyauth(1)). --input sends a file as the whole body. Items are then
                  parameters of the URL.

                Nested items
                  In a body, brackets in a name make objects and lists. Quote such an item,
                  because shells take brackets for patterns:

                  'record[text]=Hello!'
                          A member of an object.

                  'record[langs][]=en'
                          A new element at the end of a list.

                  'record[embed][images][0][alt]=A cat'
                          An element by its number, which begins with 0.

                  This works with ‘:=’, --field and --file too. Items that contradict each
                  other are refused. A literal bracket in a name is written ‘\[’ or ‘\]’. A
                  member that is called like a number is written ‘[\0]’.

                Writes
                  If a write to a repository has no ‘repo’, the account's own repository is
                  used. It may also be named by the account's DID or handle. Another
                  repository is refused.

                  A record without ‘$type’ gets the name of its collection. A new record of
                  app.bsky or chat.bsky gets ‘createdAt’ if its collection needs it: the time of
                  the server in UTC. ‘putRecord’ and the updates of ‘applyWrites’ don't set
                  ‘createdAt’, because they may replace an older record. -v names the members
                  that were filled in, and --dry-run shows them. --no-defaults fills in
                  nothing.

                  With --input nothing is added to the body, so it must contain ‘repo’ itself.
                  Without --content-type, the media type of the body is that of the file's name,
                  else the one that the method takes. If the method takes any type, the content
                  decides for images and videos.

                Mentions, links and tags
                  The text of a post is plain. Its mentions, links and tags are in ‘facets’,
                  which name their places in bytes of the text in UTF-8. --facets finds them in
                  the ‘text’ of each record that ‘createRecord’, ‘putRecord’ or ‘applyWrites’
                  writes, by the rules of the official apps:
                  •   A link begins with ‘https://’, ‘http://’ or a domain such as
                      ‘example.com’. The marks ‘.,;:!?’ at its end are no part of it, nor is a
                      ‘)’ that the link does not open.
                  •   A tag is ‘#’ and a word that does not only have digits and punctuation.
                  •   A mention is ‘@’ and a handle. The handle is looked up now, and its
                      account must name the handle, too. Otherwise the mention stays text, and
                      a line on standard error says so, as it does if the last label is no top-
                      level domain. If the look-up fails because of the network, nothing is
                      written.

                  The places are counted in the text as it is sent, wherever it comes from: an
                  item, --file, or --input with JSON of at most 1 MiB, which is then written
                  anew. A call is refused if no record has a text, or if a record has ‘facets’
                  already. With --dry-run no handle is looked up, so mentions stay text.
                """#),
        HelpTopic(
            name: "json", abstract: "Output, JSON and errors.",
            text: #"""
                Standard output has only data: the response of a call byte for byte, or what a
                command shows. Everything else goes to standard error. Questions are asked
                on the terminal itself, so standard input is free for data.

                Where a command reads a file, ‘-’, /dev/stdin, /dev/fd/N and /proc/self/fd/N
                mean what is open already, from the place where its last reader stopped. Of a
                passphrase, a password or a code, the first line counts. A command reads each
                descriptor once; two inputs from one are an error. A key file must be a file.

                If standard input and standard output are a terminal, the results of accounts,
                call, resolve and help are shown in a pager. What fits on one screen is
                printed. Leaving the pager early ends the command with success. Messages are
                printed when you have left the pager. --no-pager and --no-input turn it off.

                With --json a result is one JSON object on one line. Its ‘schema’ names its
                format, for example ‘bskyauth.accounts/1’. New members may be added to a
                format, but none is removed. Times are in UTC, for example
                ‘2026-01-01T12:00:00Z’. A missing value is ‘null’. The output contains no
                secrets, except that of bskyauth token and bskyauth service-token.

                --get path prints one value of such an object, or of the response of bskyauth
                call. It needs no --json. bskyauth-call(1) explains paths.

                      did=$(bskyauth accounts current --get .account.did)

                With --json an error is one line on standard error:

                      {"error":{"code":"session_expired","message":"...","exit":4,...}}

                The members of an error are:
                code          A stable name.
                message       What happened.
                hint          A command that helps.
                exit          The exit status.
                retryable     Whether the same command may succeed later. It is false for a
                              write without an answer, because the server may have carried it
                              out.
                account       The account.
                http          The status of the server's response.
                server_error  The server's name for the error, for example ‘InvalidRequest’.
                retry_at      When the same request may succeed: the end of a rate limit, or
                              the next time that a session can be refreshed.
                cursor        Where to resume a query that has pages.

                --json does not change the response of bskyauth call.
                """#),
        HelpTopic(
            name: "keys", abstract: "Passphrases and key files of the vault.",
            text: #"""
                Each passphrase and each key file opens the same vault key. A key file has 32
                random bytes and takes no time to open. A passphrase goes through scrypt with
                N=131072, r=8, p=1, which takes 128 MiB of memory and some tenths of a second.
                A new passphrase needs at least 8 characters. bskyauth looks for a key in
                this order:
                1.   a key file: --key-file or BSKYAUTH_KEY_FILE;
                2.   the kernel keyring, after bskyauth vault unlock;
                3.   if no passphrase is named, the keyring of the desktop session, after
                     bskyauth vault remember;
                4.   a passphrase from --passphrase-file, BSKYAUTH_PASSPHRASE_FILE,
                     BSKYAUTH_PASSPHRASE_COMMAND or BSKYAUTH_PASSPHRASE;
                5.   a passphrase typed at the terminal.

                bskyauth vault remember adds a key that is 32 random bytes, like that of a key
                file, under the name ‘desktop keyring’, and stores it in the keyring by
                secret-tool(1) (Debian package libsecret-tools). A command waits 5 seconds
                for the keyring at most. It does not ask the keyring with --no-input or CI,
                without DBUS_SESSION_BUS_ADDRESS, or to change the keys of the vault.
                bskyauth vault lock does not end this; bskyauth vault forget does.

                An old passphrase or a removed key still opens an old copy of the vault. If
                that matters, run bskyauth vault rekey: it makes a new vault key and encrypts
                everything again.

                If all passphrases and key files are lost, the vault can't be opened. Log in
                again with another directory. An account that can't be opened is removed
                without a key, by its UUID: bskyauth logout --local-only UUID.
                """#),
        HelpTopic(
            name: "selecting-accounts", abstract: "Which account a command uses.",
            text: #"""
                A command uses the first of these accounts that is set:
                1.   the account of -a, or of the command's own argument;
                2.   the account of BSKYAUTH_ACCOUNT;
                3.   the pin of this directory or of the nearest directory above it, up to the
                     home directory;
                4.   the active account, which is the first account that you logged in to, or
                     the account of the last bskyauth switch;
                5.   the only account in the vault, if no account was ever active.

                bskyauth accounts current shows which account that is, and which rule chose
                it. With -v every command shows it.

                You can name an account by its label, its handle, its DID, its UUID, or the
                beginning of its UUID. If no account or several accounts match, the command
                fails and lists the accounts. It never falls back to another rule. You can
                log in to one account several times, with a label for each session. Its
                handle or its DID alone means the session without a label:

                      bskyauth login bot.example.com --label bot
                      bskyauth call -a bot app.bsky.notification.getUnreadCount

                A pin is a file called .bskyauth-account that contains a UUID. bskyauth
                accounts pin writes it. The file must belong to you, and other users must not
                be able to write it. Otherwise, or if the account is not in the vault, the
                command fails. bskyauth logout and bskyauth accounts export ignore pins.
                """#),
        HelpTopic(
            name: "sharing", abstract: "Sharing a vault between machines.",
            text: #"""
                  Several machines can use the same accounts, for example a fleet of bots, CI
                  runners, or replicas of a server. They share one vault through a store, which
                  is etcd or PostgreSQL, and agree in it on who refreshes a session. So each
                  refresh token is used once. If each machine can have a login of its own, that
                  is simpler.

                The URL of a store
                  etcd://[user@]node[:port][,node...]/prefix
                          An etcd cluster of version 3.4 or later, with TLS. The prefix is the
                          beginning of all keys.

                  etcd+http://127.0.0.1/prefix
                          Nodes on this machine, without TLS.

                  postgres://[user@]host[:port][,host...]/database[?prefix=prefix]
                          A PostgreSQL server, or two of which one is a standby. A server on
                          another machine needs TLS and a certificate for its name. It must run
                          with ‘fsync’ on. This needs the package bskyauth-postgres, or
                          ‘scripts/install --with-postgres’.

                  The URL never has a password. It is the first line of the file that
                  --store-password-file names, and the vault keeps it, encrypted. Redis is
                  refused, because it loses writes that it has confirmed.

                Set up
                  On the machine that has the accounts, add a key file and share the vault:

                        bskyauth vault add-key --new-key-file bots.key --label bots
                        bskyauth vault share --to etcd://bots@etcd1.example.com/bots --store-password-file password

                  Copy the key file to the other machines over a safe way, and join there:

                        export BSKYAUTH_KEY_FILE=$PWD/bots.key
                        bskyauth vault join etcd://bots@etcd1.example.com/bots --durable --store-password-file password

                  A CI runner whose disk ends with its job joins with --ephemeral, and runs
                  bskyauth vault flush at its end. Each machine has a vault of its own. Never
                  copy the directory of a vault to a second machine.

                Daily use
                  All commands work as before. A call whose access token is still good asks the
                  store nothing. A refresh reads the account's record, claims it, and writes
                  the new tokens. Other machines that need a token wait for the result. If the
                  store is down, nothing is refreshed and the exit status is 12. If it goes
                  down during a refresh, a durable machine keeps the new tokens, and its next
                  command stores them.

                  A login, a new name, a logout and a client of your own reach the other
                  machines when they look: in bskyauth vault flush, bskyauth accounts, a login
                  and every command with --all, and when a command does not find an account. So
                  scripts should use handles or DIDs, and not labels that change. The active
                  account is not shared.

                Machines that go away
                  bskyauth vault machines shows how many accounts wait for each machine. If a
                  durable machine never returns, bskyauth vault machines forget name lets the
                  others go on. If it had refreshed a session and could not store it, the
                  session is lost, and the next refresh ends with ‘lost_rotation’. For an
                  ephemeral machine the others wait four minutes, and then go on by themselves.
                  It leaves the list a day after it joined.

                A store that went back
                  After a backup of the store was restored, its tokens are used already. The
                  first machine that knows a newer session ends with status 7, and stops the
                  refreshes of all machines. Run bskyauth vault flush --repair on every durable
                  machine: the newest session of each account wins. An ephemeral machine that
                  knows a newer session offers it at once. If it can't, the others wait for it
                  too. No session is refreshed before all machines have done so, or were
                  forgotten.

                End the sharing
                  bskyauth vault unshare takes the vault out of the store. The machine that
                  runs it has all accounts from then on, and the others refresh nothing.
                """#),
    ]
}
