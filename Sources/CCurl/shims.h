#ifndef BSKYAUTH_CCURL_SHIMS_H
#define BSKYAUTH_CCURL_SHIMS_H

#include <curl/curl.h>

#endif
