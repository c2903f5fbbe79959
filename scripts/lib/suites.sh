# Sourced by scripts/test: lists of test suites.

# The targets that run the program and the sandbox network as processes.
program_targets='^(EndToEndTests|RefusalTests|EnduranceTests)\.'

# The suites that start servers of a store. They run alone, because such a server gives up if a busy machine makes it wait. The
# fleets run with each store.
etcd_targets='^(BskyAuthEtcdRowsTests|FleetTests)\.'
postgres_targets='^(BskyAuthPostgresRowsTests|FleetTests)\.'
store_targets='^(BskyAuthEtcdRowsTests|BskyAuthPostgresRowsTests|FleetTests)\.'

# The suites whose results depend on the server. They run at night with each server that the sandbox can play. The other suites
# test the vault, the terminal and the command line, so they run once.
profile_names=(
    EndToEndTests.EndToEnd/{AccountSlot,CallInput,CallRetry,ExitCode,Handover,IdentityCache,MainJob}Tests
    EndToEndTests.EndToEnd/{ParallelCall,Refresh,RequestBudget,RotationOrder,SessionJournal,Token,Transfer}Tests
    EndToEndTests.PasswordSessionTests
    RefusalTests.{Call,Callback,CodeExchange,Identity,Logout,LostAnswer,Push,Refresh,TokenAnswer,Token}Tests
)

# The tests of these suites that run with cocoon in CI: their requests have another method, path or status than with the official
# server, or they name what cocoon does. All others made the same requests with both when this was measured.
cocoon_names=(
    EndToEndTests.EndToEnd/AccountSlotTests/{activation,again,loggedOutAtServer}
    EndToEndTests.EndToEnd/CallInputTests/{largeBody,method}
    EndToEndTests.EndToEnd/ExitCodeTests/table
    EndToEndTests.EndToEnd/HandoverTests/call
    EndToEndTests.EndToEnd/IdentityCacheTests/broken
    EndToEndTests.EndToEnd/ParallelCallTests/{failingServer,fiveAccounts,oneRefresh}
    EndToEndTests.EndToEnd/RefreshTests/oneIsOver
    EndToEndTests.EndToEnd/RequestBudgetTests/endedAtServer
    EndToEndTests.EndToEnd/SessionJournalTests/{browser,clientIDs,grants,keys,proofs}
    EndToEndTests.EndToEnd/TokenTests/{firstRequest,once}
    EndToEndTests.PasswordSessionTests/{slots,wholeSession,wrongPassword}
    RefusalTests.CallbackTests/declined
    RefusalTests.IdentityTests/unknownHandle
    RefusalTests.LostAnswerTests/refusedAccessToken
)

# Cirrus asks for no nonces, so nearly all requests differ. These do not.
same_at_cirrus_names=(
    EndToEndTests.EndToEnd/TransferTests/password
    EndToEndTests.PasswordSessionTests/{expiry,slowRefresh,wholeSession,wrongPassword}
    RefusalTests.IdentityTests/{foreignDevNetwork,plainHTTP,resolve,unknownHandle}
    RefusalTests.LogoutTests/appPassword
    RefusalTests.PushTests/rateLimit
    RefusalTests.TokenTests/password
)

# The suites about refreshes. They run once more without keepers, when each command refreshes in its own process.
keeper_names=(
    EndToEndTests.EndToEnd/{MainJob,ParallelCall,Refresh,RefusedToken,RotationOrder}Tests EndToEndTests.PasswordSessionTests
    RefusalTests.{Logout,LostAnswer,Refresh,TokenAnswer}Tests
)

# any_of END NAME...: a regular expression for what begins with one of these names and the end: / for suites, \( for tests.
any_of() {
    local IFS='|'
    printf '^(%s)%s' "${*:2}" "$1"
}
profile_suites=$(any_of / "${profile_names[@]}")
keeper_suites=$(any_of / "${keeper_names[@]}")
cocoon_tests=$(any_of '\(' "${cocoon_names[@]}")
same_at_cirrus=$(any_of '\(' "${same_at_cirrus_names[@]}")

# require_suites FILE: fails if a name above is not in the list of all tests, so that nothing is left out that gets another name.
require_suites() {
    local name
    for name in "${profile_names[@]/%//}" "${keeper_names[@]/%//}" \
        "${cocoon_names[@]/%/(}" "${same_at_cirrus_names[@]/%/(}"; do
        grep -q "^$name" "$1" || {
            echo "scripts/lib/suites.sh names what does not exist: $name" >&2
            exit 1
        }
    done
}
