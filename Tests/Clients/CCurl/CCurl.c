#include "CCurl.h"

const char *client_app_user_agent(void) { return "bskyauth-client-app"; }
