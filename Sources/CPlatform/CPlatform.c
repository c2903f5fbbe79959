#include "CPlatform.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <netdb.h>
#include <netinet/in.h>
#include <resolv.h>
#include <signal.h>
#include <string.h>

#ifdef __linux__
#include <sys/prctl.h>
int bskyauth_set_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
#else
int bskyauth_set_not_dumpable(void) { return 0; }
#endif

int bskyauth_dns_text_records(const char *name, const char *server, int port, unsigned char *answer, int capacity) {
    struct __res_state state;
    memset(&state, 0, sizeof state);
    if (res_ninit(&state) != 0) return -1;
    state.retrans = 2;
    state.retry = 2;
    if (server) {
        struct sockaddr_in address;
        memset(&address, 0, sizeof address);
        address.sin_family = AF_INET;
        address.sin_port = htons((unsigned short)port);
        if (inet_pton(AF_INET, server, &address.sin_addr) != 1) {
            res_nclose(&state);
            return -1;
        }
        state.nscount = 1;
        state.nsaddr_list[0] = address;
    }
    int length = res_nquery(&state, name, ns_c_in, ns_t_txt, answer, capacity);
    int absent = state.res_h_errno == HOST_NOT_FOUND || state.res_h_errno == NO_DATA;
    res_nclose(&state);
    if (length < 0) return absent ? 0 : -1;
    return length > capacity ? -1 : length;
}

static const int held_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP};
enum { held_count = sizeof held_signals / sizeof held_signals[0] };
static struct sigaction earlier_actions[held_count];
static volatile sig_atomic_t first_signal;

static void remember_signal(int signal) {
    if (first_signal == 0) first_signal = signal;
}

void bskyauth_signals_hold(void) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = remember_signal;
    sigemptyset(&action.sa_mask);
    first_signal = 0;
    for (int i = 0; i < held_count; i++) {
        sigaction(held_signals[i], NULL, &earlier_actions[i]);
        // What the parent ignores stays ignored, as nohup expects.
        if (earlier_actions[i].sa_handler != SIG_IGN) sigaction(held_signals[i], &action, NULL);
    }
}

int bskyauth_signals_release(void) {
    for (int i = 0; i < held_count; i++) sigaction(held_signals[i], &earlier_actions[i], NULL);
    return first_signal;
}

int bskyauth_signals_pending(void) { return first_signal != 0; }
