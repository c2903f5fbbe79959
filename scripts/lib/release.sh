# Sourced after setup.sh: how the program that is given away is built.
#
# Swift's runtime is linked into it, and the C++ library and the unwinder that the runtime is made with: to load those
# took an eighth of what it takes to start. Nothing is exported, for nobody loads this program. What the system keeps up
# to date, OpenSSL and libcurl, stays a library, looked for where the system has it and not beside the program.
release=(-c release --static-swift-stdlib --disable-local-rpath)

# The runtime is handed the types that a function uses instead of their names. By a name it looks for what the type
# conforms to, through the 5,300 conformances of the program, every time that it meets a new one.
release_flags=(-Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors
    -Xswiftc -use-ld=lld -Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker --no-export-dynamic)

# The 60,000 addresses in the program that are known once it is loaded: as bits, where the system reads those (glibc 2.36).
if [ "$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/^glibc /2.36\n/' | sort -V | head -1)" = 2.36 ]; then
    release_flags+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi

# build_release SCRATCH PRODUCT: builds a product of this package.
build_release() {
    # A linker takes what it finds first under a name: here the archive, with no shared library beside it.
    local archives="$PWD/$1/archives" archive
    mkdir -p "$archives"
    archive="$(clang -print-file-name=libstdc++.a)"
    ln -sf "$archive" "$archives/"
    swift build "${release[@]}" "${release_flags[@]}" -Xlinker -L"$archives" --scratch-path "$1" --product "$2" >&2
}

# release_path SCRATCH: the directory that it is built into.
release_path() {
    swift build "${release[@]}" --scratch-path "$1" --show-bin-path
}
