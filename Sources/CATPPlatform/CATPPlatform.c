#ifdef __linux__
#define _GNU_SOURCE
#endif

#include "CATPPlatform.h"

#include <arpa/inet.h>
#include <arpa/nameser.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <resolv.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
int bskyauth_set_not_dumpable(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }
#else
int bskyauth_set_not_dumpable(void) { return 0; }
#endif

#ifdef __linux__
// The constants of keyctl(2). The library that defines them, libkeyutils, is not part of libc.
enum { process_keyring = -2, user_keyring = -4, possessor_all = 0x3f000000 };
enum { op_setperm = 5, op_describe = 6, op_link = 8, op_search = 10, op_read = 11, op_set_timeout = 15, op_invalidate = 21 };

int bskyauth_key_add(const char *name, const void *content, size_t length) {
    return (int)syscall(SYS_add_key, "user", name, content, length, process_keyring);
}
int bskyauth_key_restrict(int key) { return (int)syscall(SYS_keyctl, op_setperm, key, possessor_all); }
int bskyauth_key_expire(int key, unsigned int seconds) {
    return (int)syscall(SYS_keyctl, op_set_timeout, key, seconds);
}
int bskyauth_key_share(int key) { return (int)syscall(SYS_keyctl, op_link, key, user_keyring); }
int bskyauth_key_find(const char *name) {
    // Link the key to the keyring of this process. Otherwise a process whose session keyring has no link to the user's
    // keyring does not possess the key and may not read it.
    return (int)syscall(SYS_keyctl, op_search, user_keyring, "user", name, process_keyring);
}
long bskyauth_key_read(int key, void *buffer, size_t capacity) {
    return syscall(SYS_keyctl, op_read, key, buffer, capacity);
}
int bskyauth_key_destroy(int key) { return (int)syscall(SYS_keyctl, op_invalidate, key); }
int bskyauth_keys_destroy(const char *beginning) {
    // The link makes this process possess all keys in the user's keyring, as above.
    if (syscall(SYS_keyctl, op_link, user_keyring, process_keyring) < 0) return -1;
    int32_t *keys = NULL;
    long size = 0, room;
    // The kernel tells the whole size. Another process may add keys before the next read.
    do {
        room = size;
        int32_t *larger = realloc(keys, room + 1);
        if (larger == NULL) return free(keys), -1;
        keys = larger;
        size = syscall(SYS_keyctl, op_read, user_keyring, keys, room);
        if (size < 0) return free(keys), -1;
    } while (size > room);
    int destroyed = 0;
    for (long index = 0; index < size / (long)sizeof *keys; index++) {
        // "type;user;group;permissions;name"
        char description[512];
        long length = syscall(SYS_keyctl, op_describe, keys[index], description, sizeof description);
        if (length < 0 || length > (long)sizeof description || strncmp(description, "user;", 5) != 0) continue;
        const char *name = strrchr(description, ';') + 1;
        if (strncmp(name, beginning, strlen(beginning)) != 0) continue;
        if (bskyauth_key_destroy(keys[index]) < 0) return free(keys), -1;
        destroyed++;
    }
    free(keys);
    return destroyed;
}
#else
static int no_keys(void) { return errno = ENOSYS, -1; }
int bskyauth_key_add(const char *name, const void *content, size_t length) { return no_keys(); }
int bskyauth_key_restrict(int key) { return no_keys(); }
int bskyauth_key_expire(int key, unsigned int seconds) { return no_keys(); }
int bskyauth_key_share(int key) { return no_keys(); }
int bskyauth_key_find(const char *name) { return no_keys(); }
long bskyauth_key_read(int key, void *buffer, size_t capacity) { return no_keys(); }
int bskyauth_key_destroy(int key) { return no_keys(); }
int bskyauth_keys_destroy(const char *beginning) { return no_keys(); }
#endif

#ifdef __linux__
int bskyauth_memory_file(void) { return memfd_create("bskyauth", MFD_CLOEXEC); }
#else
int bskyauth_memory_file(void) {
    char name[] = "/tmp/bskyauth-XXXXXX";
    int file = mkstemp(name);
    if (file < 0) return -1;
    unlink(name);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return file;
}
#endif

long bskyauth_file_acl(int descriptor, void *buffer, size_t capacity) {
#ifdef __linux__
    return fgetxattr(descriptor, "system.posix_acl_access", buffer, capacity);
#else
    (void)descriptor, (void)buffer, (void)capacity;
    return errno = ENOSYS, -1;
#endif
}

int bskyauth_open_nameless(int directory, unsigned mode) {
#ifdef O_TMPFILE
    return openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, (mode_t)mode);
#else
    (void)directory, (void)mode;
    return errno = EOPNOTSUPP, -1;
#endif
}

int bskyauth_pin(const char *path) {
#ifdef O_PATH
    return open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
#else
    (void)path;
    return errno = ENOSYS, -1;
#endif
}

int bskyauth_occupy_descriptor(void) {
#ifdef O_PATH
    return open("/", O_PATH | O_DIRECTORY);
#else
    return open("/", O_RDONLY | O_DIRECTORY);
#endif
}

int bskyauth_open_step(int directory, const char *name) {
#ifdef O_PATH
    return openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
#else
    (void)directory, (void)name;
    return errno = ENOSYS, -1;
#endif
}

long bskyauth_mount_traits(int descriptor) {
    long traits = 0;
#ifdef __linux__
    struct statfs system;
    struct statvfs mount;
    if (fstatfs(descriptor, &system) != 0 || fstatvfs(descriptor, &mount) != 0) return -1;
    if (mount.f_flag & ST_RDONLY) traits |= bskyauth_mount_read_only;
    if (system.f_type == TMPFS_MAGIC || system.f_type == RAMFS_MAGIC) traits |= bskyauth_mount_in_memory;
    struct statx status;
    if (statx(descriptor, "", AT_EMPTY_PATH, STATX_TYPE, &status) == 0 && status.stx_attributes & STATX_ATTR_MOUNT_ROOT) {
        traits |= bskyauth_mount_root;
    }
#else
    (void)descriptor;
#endif
    return traits;
}

int bskyauth_give_name(int file, int directory, const char *name) {
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW);
}

int bskyauth_rename_new(int directory, const char *name, const char *other) {
#ifdef __linux__
    return (int)syscall(SYS_renameat2, directory, name, directory, other, RENAME_NOREPLACE);
#else
    (void)directory, (void)name, (void)other;
    return errno = ENOSYS, -1;
#endif
}

char **bskyauth_environment(void) { return environ; }

int bskyauth_spawn_closing_others(posix_spawn_file_actions_t *actions) {
#ifdef __linux__
    return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
    (void)actions;
    return 0;
#endif
}

short bskyauth_spawn_new_session(void) { return POSIX_SPAWN_SETSID; }

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
    // Ask each of several servers once, and a single server twice, to limit the time.
    if (state.nscount > 1) state.retry = 1;
    int length = res_nquery(&state, name, ns_c_in, ns_t_txt, answer, capacity);
    int absent = state.res_h_errno == HOST_NOT_FOUND || state.res_h_errno == NO_DATA;
    res_nclose(&state);
    if (length < 0) return absent ? 0 : -1;
    return length > capacity ? -1 : length;
}

int bskyauth_terminal_size(int descriptor, int *columns, int *rows) {
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0) return -1;
    *columns = size.ws_col;
    *rows = size.ws_row;
    return 0;
}

// The signals in the order in which they are raised. Signals that end the process come before the one that stops it.
static const int held_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGTSTP};
enum { held_count = sizeof held_signals / sizeof held_signals[0], stop_index = held_count - 1 };
static struct sigaction earlier_actions[held_count], earlier_continue;
static volatile sig_atomic_t is_pending[held_count];
static int wake_up[2] = {-1, -1};

static void remember_signal(int signal) {
    int earlier_errno = errno;
    for (int i = 0; i < held_count; i++) {
        if (held_signals[i] == signal) is_pending[i] = 1;
    }
    // If the pipe is full, the reader will wake up anyway.
    if (write(wake_up[1], "", 1) < 0) errno = earlier_errno;
}

// As in the kernel, a signal to continue takes back a signal to stop.
static void forget_stop(int signal) {
    (void)signal;
    is_pending[stop_index] = 0;
}

static void drain_wake_up(void) {
    char byte;
    while (read(wake_up[0], &byte, 1) == 1) {}
}

static void make_wake_up(void) {
    if (wake_up[0] >= 0 || pipe(wake_up) != 0) return;
    for (int i = 0; i < 2; i++) {
        fcntl(wake_up[i], F_SETFD, FD_CLOEXEC);
        fcntl(wake_up[i], F_SETFL, O_NONBLOCK);
    }
}

static void hold(int signal, void (*handler)(int), struct sigaction *earlier) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigfillset(&action.sa_mask);
    sigaction(signal, NULL, earlier);
    // A signal that the parent ignores stays ignored, as nohup expects.
    if (earlier->sa_handler != SIG_IGN) sigaction(signal, &action, NULL);
}

static void raise_pending(int index) {
    if (!is_pending[index]) return;
    is_pending[index] = 0;
    // Threads of Swift's task pool block signals. Without this a raised signal would stay pending there.
    sigset_t this_one, earlier_mask;
    sigemptyset(&this_one);
    sigaddset(&this_one, held_signals[index]);
    pthread_sigmask(SIG_UNBLOCK, &this_one, &earlier_mask);
    raise(held_signals[index]);
    pthread_sigmask(SIG_SETMASK, &earlier_mask, NULL);
}

void bskyauth_ending_signals_hold(void) {
    make_wake_up();
    drain_wake_up();
    for (int i = 0; i < stop_index; i++) {
        is_pending[i] = 0;
        hold(held_signals[i], remember_signal, &earlier_actions[i]);
    }
}

void bskyauth_ending_signals_release(void) {
    for (int i = 0; i < stop_index; i++) sigaction(held_signals[i], &earlier_actions[i], NULL);
    for (int i = 0; i < stop_index; i++) raise_pending(i);
}

void bskyauth_stop_signal_hold(void) {
    make_wake_up();
    is_pending[stop_index] = 0;
    hold(SIGTSTP, remember_signal, &earlier_actions[stop_index]);
    hold(SIGCONT, forget_stop, &earlier_continue);
}

void bskyauth_stop_signal_release(void) {
    sigaction(SIGTSTP, &earlier_actions[stop_index], NULL);
    sigaction(SIGCONT, &earlier_continue, NULL);
    raise_pending(stop_index);
}

int bskyauth_signals_pending(void) {
    for (int i = 0; i < held_count; i++) {
        if (is_pending[i]) return 1;
    }
    return 0;
}

int bskyauth_signals_ending(void) {
    for (int i = 0; i < held_count; i++) {
        if (is_pending[i] && held_signals[i] != SIGTSTP) return 1;
    }
    return 0;
}

int bskyauth_wait_for_input(int descriptor) {
    struct pollfd files[2] = {{.fd = descriptor, .events = POLLIN}, {.fd = wake_up[0], .events = POLLIN}};
    while (!bskyauth_signals_pending()) {
        int ready = poll(files, 2, -1);
        if (ready < 0 && errno != EINTR) return -1;
        if (ready > 0 && files[0].revents != 0) return 1;
        drain_wake_up();
    }
    return 0;
}

static const int forwarded_signals[] = {SIGTERM, SIGHUP};
static const int ignored_signals[] = {SIGINT, SIGQUIT};
static struct sigaction before_forwarding[2], before_ignoring[2];
static volatile sig_atomic_t forwarding_to, is_kept[2];

static void forward_signal(int signal) {
    int earlier_errno = errno;
    pid_t child = (pid_t)forwarding_to;
    for (int i = 0; i < 2; i++) {
        if (forwarded_signals[i] == signal && child == 0) is_kept[i] = 1;
    }
    if (child != 0) kill(child, signal);
    errno = earlier_errno;
}

int bskyauth_forward_signals_begin(void) {
    struct sigaction ignore;
    memset(&ignore, 0, sizeof ignore);
    ignore.sa_handler = SIG_IGN;
    int ignored = 0;
    forwarding_to = 0;
    for (int i = 0; i < 2; i++) {
        is_kept[i] = 0;
        hold(forwarded_signals[i], forward_signal, &before_forwarding[i]);
        sigaction(ignored_signals[i], &ignore, &before_ignoring[i]);
        if (before_ignoring[i].sa_handler == SIG_IGN) ignored |= 1 << i;
    }
    return ignored;
}

void bskyauth_forward_signals_to(pid_t child) {
    forwarding_to = child;
    if (child == 0) return;
    for (int i = 0; i < 2; i++) {
        if (!is_kept[i]) continue;
        is_kept[i] = 0;
        kill(child, forwarded_signals[i]);
    }
}

void bskyauth_forward_signals_end(void) {
    for (int i = 0; i < 2; i++) {
        sigaction(forwarded_signals[i], &before_forwarding[i], NULL);
        sigaction(ignored_signals[i], &before_ignoring[i], NULL);
    }
}
