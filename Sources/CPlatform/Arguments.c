// The arguments of the process, for Swift's `CommandLine`.
//
// On Linux the runtime finds them by reading /proc/self/maps before main, which takes the kernel 0.3 ms to write where
// thirty libraries are mapped: 3 % of a call. glibc hands them to what it runs before main. Linked statically, as
// the program that is given away is, this function takes the place of the runtime's, whose object file then stays in its
// archive (swift/stdlib/public/stubs/CommandLine.cpp); beside the shared runtime nobody calls it.
#include <stdlib.h>

#ifdef __GLIBC__

static char **arguments;
static int count;

__attribute__((constructor)) static void keep_arguments(int argc, char **argv) {
    arguments = argv;
    count = argc;
}

char **_swift_stdlib_getUnsafeArgvArgc(int *length) {
    *length = count;
    return arguments;
}

#endif
