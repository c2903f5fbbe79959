# A stand-in for gh. STATE is a directory with the secrets and variables of one repository: those of the repository in
# `repository`, those of an environment in `environments/NAME`. Variables are read when they are asked for. Secrets can't be
# read here: a job gets them from whoever starts it.
#
# `log` has one line for each command. The lines of `variable get` and `secret set` are written before they read
# or write, and the line of `variable set` after it wrote.
set -eu
if [ -n "${GITHUB_ACTIONS-}" ] && { [ "${GH_TOKEN-}" != github_pat_1 ] || [ -z "${GH_REPO-}" ]; }; then
    echo "gh: set GH_TOKEN and GH_REPO" >&2
    exit 4
fi
kind=$1 action=$2
shift 2
folder=repository
while [ $# -gt 0 ]; do
    case $1 in
        --env) folder=environments/$2; shift ;;
        --body) body=$2; shift ;;
        --dir) target=$2; shift ;;
        --repo) [ "$2" = OWNER/bskyauth ]; shift ;;
        --pattern) shift ;;
        *) name=$1 ;;
    esac
    shift
done
log() { echo "${GITHUB_RUN_ID-0} $kind $action ${name-}${1+ $1}" >>"$STATE/log"; }
case "$kind $action" in
    'release download') : >"$target/bskyauth_1_amd64.deb" ;;
    'variable get')
        log
        cat "$STATE/$folder/variable/$name"
        ;;
    'secret set' | 'variable set')
        mkdir -p "$STATE/$folder/$kind"
        written=$(mktemp "$STATE/$name.XXXXXX")
        printf %s "${body-$(cat)}" >"$written"
        if [ -e "$STATE/fail-$kind" ]; then
            rm "$STATE/fail-$kind"
            echo "gh: HTTP 503" >&2
            exit 1
        fi
        if [ "$kind" = secret ]; then log; fi
        mv "$written" "$STATE/$folder/$kind/$name"
        if [ "$kind" = variable ]; then log "$body"; fi
        ;;
    *)
        echo "gh: unknown command $kind $action" >&2
        exit 1
        ;;
esac
