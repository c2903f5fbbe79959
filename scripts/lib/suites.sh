# Sourced by scripts/test: lists of test suites.

# The targets that run the program and the sandbox network as processes.
program_targets='^(EndToEndTests|RefusalTests|EnduranceTests)\.'

# The suites that start servers of a store. They run alone, because such a server gives up if a busy machine makes it wait. The
# fleets run with each store.
etcd_targets='^(BskyAuthEtcdRowsTests|FleetTests)\.'
postgres_targets='^(BskyAuthPostgresRowsTests|FleetTests)\.'
store_targets='^(BskyAuthEtcdRowsTests|BskyAuthPostgresRowsTests|FleetTests)\.'

# The suites whose results depend on the server. They run once for each server that the sandbox can play. The other suites
# test the vault, the terminal and the command line, so they run once.
profile_names=(
    EndToEndTests.EndToEnd/{AccountSlot,CallInput,CallRetry,ExitCode,Handover,IdentityCache,MainJob}Tests
    EndToEndTests.EndToEnd/{ParallelCall,Refresh,RequestBudget,RotationOrder,SessionJournal,Token,Transfer}Tests
    EndToEndTests.PasswordSessionTests
    RefusalTests.{Call,Callback,CodeExchange,Identity,Logout,LostAnswer,Push,Refresh,TokenAnswer,Token}Tests
)

# The suites about refreshes. They run once more without keepers, when each command refreshes in its own process.
keeper_names=(
    EndToEndTests.EndToEnd/{MainJob,ParallelCall,Refresh,RotationOrder}Tests EndToEndTests.PasswordSessionTests
    RefusalTests.{Logout,LostAnswer,Refresh,TokenAnswer}Tests
)

# The suites that run with the installed program.
smoke_names=(EndToEndTests.EndToEnd/SmokeTests)

# any_of NAME...: a regular expression for the tests of these suites.
any_of() {
    local IFS='|'
    printf '^(%s)/' "$*"
}
profile_suites=$(any_of "${profile_names[@]}")
keeper_suites=$(any_of "${keeper_names[@]}")
smoke_suites=$(any_of "${smoke_names[@]}")

# require_suites FILE: fails if a suite above is not in the list of all tests, so that a renamed suite is not left out.
require_suites() {
    local name
    for name in "${profile_names[@]}" "${keeper_names[@]}" "${smoke_names[@]}"; do
        grep -q "^$name/" "$1" || {
            echo "scripts/lib/suites.sh names a suite that does not exist: $name" >&2
            exit 1
        }
    done
}
