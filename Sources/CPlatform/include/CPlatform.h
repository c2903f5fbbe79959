#ifndef BSKYAUTH_CPLATFORM_H
#define BSKYAUTH_CPLATFORM_H

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/types.h>

/// The system calls that Swift's Glibc module does not show, as plain functions.
/// Each answers what the call answers; errno is left as the call left it.

/// Keeps other processes of the user from reading this one's memory, and the kernel from dumping it.
int bskyauth_set_not_dumpable(void);

/// The variables of this process, as "NAME=value", with NULL after the last.
char **bskyauth_environment(void);

/// The next entry of a directory; NULL after the last, and where one can't be read, which `error` tells apart: it is 0,
/// or the errno.
static inline struct dirent *bskyauth_next_entry(DIR *directory, int *error) {
    errno = 0;
    struct dirent *entry = readdir(directory);
    *error = entry ? 0 : errno;
    return entry;
}

/// Lets a child that is spawned with these actions have no file but its first three.
int bskyauth_spawn_closing_others(posix_spawn_file_actions_t *actions);

/// A file in memory that children can be given, at its beginning; -1 on an error.
int bskyauth_memory_file(void);

/// A key of type "user" in the keyring of this process, add_key(2): its serial number, or -1.
int bskyauth_key_add(const char *name, const void *content, size_t length);

/// Makes a key something that only who possesses it may do anything with.
int bskyauth_key_restrict(int key);

/// Lets a key expire after so many seconds. 0 would let it live for ever.
int bskyauth_key_expire(int key, unsigned int seconds);

/// Puts a key into the keyring that all processes of the user share, in place of one of the same name.
int bskyauth_key_share(int key);

/// Finds a key in that keyring and makes this process possess it: its serial number, or -1.
int bskyauth_key_find(const char *name);

/// Reads a key: the length of its content, whatever fits into `buffer`.
long bskyauth_key_read(int key, void *buffer, size_t capacity);

/// Destroys a key, in whatever keyring it is.
int bskyauth_key_destroy(int key);

/// Destroys the keys in the shared keyring whose names begin so: how many, or -1.
int bskyauth_keys_destroy(const char *beginning);

/// Asks the resolver for the TXT records of a name.
///
/// With `server` (an IPv4 address as text) that server is asked, at `port`; NULL asks the system's.
/// Answers the length of the DNS message written to `answer`, 0 where the name or the records do not exist,
/// -1 where nothing could be found out.
int bskyauth_dns_text_records(const char *name, const char *server, int port, unsigned char *answer, int capacity);

/// The size of the terminal that a file is (0), where it is one and says (-1 otherwise).
int bskyauth_terminal_size(int descriptor, int *columns, int *rows);

/// Records INT, TERM, HUP, QUIT and TSTP from now on instead of obeying them. Not nested.
void bskyauth_signals_hold(void);

/// Gives the signals their old meaning back and obeys, on this thread, those that came: the process may end.
void bskyauth_signals_release(void);

/// Whether a signal has come since the hold began.
int bskyauth_signals_pending(void);

/// Whether one has come that will end the process, as all but TSTP do.
int bskyauth_signals_ending(void);

/// Waits during a hold until there is input (1) or a signal, on whatever thread it arrived (0); -1 on an error.
int bskyauth_wait_for_input(int descriptor);

/// What git calls the tree this was built from; NULL where nobody said.
const char *bskyauth_build_name(void);

#endif
