# Sourced after setup.sh: the build of the released program. scripts/install, the package, the bench and the tests all use
# these flags, so the installed program is built like the tested one.
release=(-c release
    # The Swift runtime and the C++ library that it needs are linked in: users have neither, and loading them takes time.
    --static-swift-stdlib -Xswiftc -Xclang-linker -Xswiftc -static-libgcc
    # Libraries are looked up where the system keeps them, never beside the program.
    --disable-local-rpath
    # No symbol is exported, because no other program loads this one and the runtime would search the symbols at start.
    -Xlinker --no-export-dynamic
    # Each function is a section, so that the linker leaves out what the program never calls: 0.96 of the size.
    -Xswiftc -Xfrontend -Xswiftc -function-sections
    # The compiler passes types directly instead of their names, so that the runtime does not search for them by name.
    -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors)

# The sandbox network, as scripts/install --with-sandbox builds it.
release_sandbox=(-c release --static-swift-stdlib --package-path Sandbox)

# build_release SCRATCH PRODUCT [OPTION...]: builds a product of this package, or of the one that --package-path names.
build_release() {
    # The linker takes the first library that it finds under a name. This directory has only the archive of the C++ library.
    local archives="$PWD/$1/archives" archive
    mkdir -p "$archives"
    archive="$(clang -print-file-name=libstdc++.a || true)"
    if [ -f "$archive" ]; then
        ln -sf "$archive" "$archives/"
    else
        echo "libstdc++.a was not found: the program will load the shared library" >&2
    fi
    swift build "${release[@]}" -Xlinker -L"$archives" --scratch-path "$1" --product "$2" "${@:3}" >&2
}

# release_path SCRATCH [OPTION...]: the directory of the built products.
release_path() {
    swift build -c release --scratch-path "$1" "${@:2}" --show-bin-path
}

# installed_page PAGE: a page of the documentation as it is installed. A link to a file that is not installed becomes text.
installed_page() {
    local place='(Sources|Tests|Server|Sandbox|Benchmarks|packaging|scripts\/|design|CONTRIBUTING\.md|(conformance|performance)\.md|public-api\.txt)'
    case "$1" in Server/*) place='(\.\.|README|docs|Sources)' ;; esac
    sed -zE "s/\[([^][]*)\]\((\.\.\/|docs\/)*$place[^)]*\)/\1/g" "$1"
}
