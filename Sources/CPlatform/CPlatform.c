#include "CPlatform.h"

#ifdef __linux__
#include <sys/prctl.h>
int bskyauth_set_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
#else
int bskyauth_set_not_dumpable(void) { return 0; }
#endif
