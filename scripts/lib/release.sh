# Sourced after setup.sh: how the program that is given away is built.
#
# Swift's runtime is linked into it, and the C++ library and the unwinder that the runtime is made with: to load those
# took an eighth of what it takes to start. Nothing is exported, for nobody loads this program. What the system keeps up
# to date, OpenSSL and libcurl, stays a library, looked for where the system has it and not beside the program.
release=(-c release --static-swift-stdlib --disable-local-rpath)

# The runtime is handed the types that a function uses instead of their names. By a name it looks for what the type
# conforms to, through the 5,300 conformances of the program, every time that it meets a new one.
release_flags=(-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
    -Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker --no-export-dynamic)

# The functions that commands run lie together, in the order that scripts/order found, so that fewer pages are read for
# them; release.ld puts those without a name before them. A name that is gone or new does no harm: its function lies where
# it would have. It takes LLVM's linker, which comes with Swift.
release_order="$PWD/scripts/lib/release.order"
release_flags+=(-Xswiftc -Xfrontend -Xswiftc -function-sections
    -Xswiftc -use-ld=lld -Xlinker --symbol-ordering-file="$release_order" -Xlinker --no-warn-symbol-ordering
    -Xlinker -T -Xlinker "$PWD/scripts/lib/release.ld")

# for_this_machine: what is built from here on stays on it. Relative relocations are packed, which glibc reads since 2.36:
# 1.4 MB less to load. What is built to be taken elsewhere starts with older ones too, as Ubuntu 22.04 has.
for_this_machine() {
    if printf '%s\n' 'glibc 2.36' "$(getconf GNU_LIBC_VERSION 2>/dev/null)" | sort -CV; then
        release_flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
    fi
}

# The sandbox network, as it is given away beside the program.
release_sandbox=(-c release --static-swift-stdlib --package-path Sandbox)

# build_release SCRATCH PRODUCT: builds a product of this package.
build_release() {
    # A linker takes what it finds first under a name: here the archive, with no shared library beside it.
    local archives="$PWD/$1/archives" archive
    mkdir -p "$archives"
    archive="$(clang -print-file-name=libstdc++.a || true)"
    if [ -f "$archive" ]; then
        ln -sf "$archive" "$archives/"
    else
        echo "no libstdc++.a is found: what is built loads the shared library" >&2
    fi
    swift build "${release[@]}" "${release_flags[@]}" -Xlinker -L"$archives" --scratch-path "$1" --product "$2" >&2
}

# release_path SCRATCH: the directory that it is built into.
release_path() {
    swift build "${release[@]}" --scratch-path "$1" --show-bin-path
}
