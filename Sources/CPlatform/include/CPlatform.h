#ifndef BSKYAUTH_CPLATFORM_H
#define BSKYAUTH_CPLATFORM_H

/// The system calls that Swift's Glibc module does not show, as plain functions.
/// Each answers what the call answers; errno is left as the call left it.

int bskyauth_set_not_dumpable(void);

#endif
