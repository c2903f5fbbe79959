# Sourced by the other scripts: installs the packages that a fresh Debian or Ubuntu machine with Swift lacks.

# --help prints the comment at the top of the script, before anything is installed or built.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "scripts/${0##*/}" "scripts/dev/${0##*/}" 2>/dev/null || true; }
case "${1:-}" in
    -h | --help)
        usage
        exit 0
        ;;
esac

say() { printf '\n\033[1m==> %s\033[0m\n' "$*" >&2; }

sudo=()
[ "$(id -u)" -eq 0 ] || sudo=(sudo)

# need PACKAGE...: installs the Debian packages that are missing.
need() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -eq 0 ] && return 0
    say "installing ${missing[*]}"
    "${sudo[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${sudo[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >&2
}

# need_nginx: installs nginx for https in front of the sandbox network. Its own service, on port 80, is turned off.
need_nginx() {
    [ -x /usr/sbin/nginx ] && return 0
    need nginx-light
    [ ! -d /run/systemd/system ] || "${sudo[@]}" systemctl disable --now nginx
}

# need_caddy: installs Caddy for the sites that the server protects. Its own service, on port 80, is turned off.
need_caddy() {
    [ -x /usr/bin/caddy ] && return 0
    need caddy
    [ ! -d /run/systemd/system ] || "${sudo[@]}" systemctl disable --now caddy
}

# need_etcd: installs etcd for the tests of its rows. Its own service is turned off.
need_etcd() {
    [ -x /usr/bin/etcd ] && [ -x /usr/bin/etcdctl ] && return 0
    need etcd-server etcd-client
    [ ! -d /run/systemd/system ] || "${sudo[@]}" systemctl disable --now etcd
}

# need_libpq: installs libpq, and gives the debug build the trait that needs it.
need_libpq() {
    need libpq-dev
    debug=(--traits PostgreSQL)
}

# need_postgres: installs PostgreSQL and pgbouncer for the tests of its rows. Their own services are turned off.
need_postgres() {
    [ -x /usr/sbin/pgbouncer ] && ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 && return 0
    need postgresql pgbouncer
    [ ! -d /run/systemd/system ] || "${sudo[@]}" systemctl disable --now postgresql pgbouncer
}

# need_chromium: installs Chromium for the tests of the pages, which fail without it. Ubuntu has Chromium only as a
# snap, and a snap does not run in a container. So Ubuntu skips these tests.
need_chromium() {
    grep -q '^ID=debian' /etc/os-release || return 0
    need chromium chromium-driver python3-selenium fonts-dejavu-core libnss3-tools
    export BSKYAUTH_TEST_CHROMIUM=1
}

# need_tests: installs what the quick tests run.
need_tests() {
    command -v dpkg-query >/dev/null || return 0
    need jq less openssl python3 python3-jsonschema python3-pyte python3-yaml procps strace faketime systemd zsh fish mandoc
    need dbus gnome-keyring libsecret-tools
    need_libpq
    need_nginx
}

command -v swift >/dev/null || {
    echo "Swift 6.2 or later is needed: https://www.swift.org/install/linux/" >&2
    exit 1
}
if command -v dpkg-query >/dev/null; then
    need libssl-dev libcurl4-openssl-dev libgnutls28-dev pkg-config curl
fi

# Every `swift build` and `swift test` in .build takes these options: another trait compiles every module again.
debug=()
# The sandbox network and the server are packages of their own. Built in the same folder, they share the modules that are there.
beside=(--scratch-path .build)
if pkg-config --exists libpq 2>/dev/null; then debug=(--traits PostgreSQL); fi
