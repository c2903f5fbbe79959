#ifndef CCURL_H
#define CCURL_H

/// The name that the app tells servers.
const char *client_app_user_agent(void);

#endif
