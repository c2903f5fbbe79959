#include "CATPPlatform.h"

#include <stddef.h>

static int count = 0;
static char *const *words = NULL;

/// The dynamic loader calls it with the arguments of main.
__attribute__((constructor)) static void keep_arguments(int argc, char **argv) {
    count = argc;
    words = argv;
}

const char *bskyauth_argument(int index) { return index < count ? words[index] : NULL; }

const char *bskyauth_build_name(void) {
#ifdef BSKYAUTH_BUILD
    return BSKYAUTH_BUILD[0] ? BSKYAUTH_BUILD : NULL;
#else
    return NULL;
#endif
}
