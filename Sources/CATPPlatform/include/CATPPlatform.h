#ifndef BSKYAUTH_CPLATFORM_H
#define BSKYAUTH_CPLATFORM_H

#include <dirent.h>
#include <errno.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/types.h>

/// System calls that Swift can't call directly, as plain functions.
/// Each returns the result of the call, and leaves errno as the call set it.

/// Prevents other processes of the user from reading this process's memory, and core dumps.
int bskyauth_set_not_dumpable(void);

/// The variables of this process, as "NAME=value", with NULL after the last.
char **bskyauth_environment(void);

/// The next entry of a directory, or NULL. After the last entry `error` is 0; if an entry can't be read it is the errno.
static inline struct dirent *bskyauth_next_entry(DIR *directory, int *error) {
    errno = 0;
    struct dirent *entry = readdir(directory);
    *error = entry ? 0 : errno;
    return entry;
}

/// Closes all files but the first three in a child that is spawned with these actions.
int bskyauth_spawn_closing_others(posix_spawn_file_actions_t *actions);

/// Makes an empty file in memory that can be passed to child processes; -1 on an error.
int bskyauth_memory_file(void);

/// Adds a key of type "user" to the keyring of this process, add_key(2). Returns its serial number, or -1.
int bskyauth_key_add(const char *name, const void *content, size_t length);

/// Restricts a key to processes that possess it.
int bskyauth_key_restrict(int key);

/// Makes a key expire after a number of seconds. With 0 it never expires.
int bskyauth_key_expire(int key, unsigned int seconds);

/// Links a key to the keyring that all processes of the user share. It replaces a key of the same name.
int bskyauth_key_share(int key);

/// Finds a key in that keyring and makes this process possess it. Returns its serial number, or -1.
int bskyauth_key_find(const char *name);

/// Reads a key into `buffer`. Returns the whole length of its content, even if only a part fits.
long bskyauth_key_read(int key, void *buffer, size_t capacity);

/// Destroys a key in all keyrings.
int bskyauth_key_destroy(int key);

/// Destroys the keys in the shared keyring whose names begin with a text. Returns their number, or -1.
int bskyauth_keys_destroy(const char *beginning);

/// The flag of posix_spawn(3) with which a program starts a session of its own.
short bskyauth_spawn_new_session(void);

/// Asks the resolver for the TXT records of a name.
///
/// Asks the system's servers, or `server` (an IPv4 address as text) at `port` unless it is NULL.
/// Returns the length of the DNS message in `answer`, 0 if the name or its records do not exist, or -1 if no server gave a
/// usable answer.
int bskyauth_dns_text_records(const char *name, const char *server, int port, unsigned char *answer, int capacity);

/// Gets the size of a terminal. Returns 0, or -1 if the file is no terminal or its size is unknown.
int bskyauth_terminal_size(int descriptor, int *columns, int *rows);

/// Reads the access control list of an open file, in the form of the attribute system.posix_acl_access. Returns its length, or
/// -1 if the file has no list, or one that does not fit.
long bskyauth_file_acl(int descriptor, void *buffer, size_t capacity);

/// Renames a file of a directory to a name that does not exist. Fails with EEXIST if it exists, and with EINVAL or ENOSYS
/// if the file system or the kernel can't do this.
int bskyauth_rename_new(int directory, const char *name, const char *other);

/// Opens a new file without a name in a directory, for reading and writing. Fails with EOPNOTSUPP or EISDIR if the file system or
/// the kernel can't do this.
int bskyauth_open_nameless(int directory, unsigned mode);

/// Opens a file of any kind only to keep its number. It does not follow a symbolic link.
int bskyauth_pin(const char *path);

/// Occupies the lowest free descriptor. Reading and writing it fails with EBADF, as if it were closed. Child processes inherit it.
int bskyauth_occupy_descriptor(void);

/// Opens a name in a directory itself, also a symbolic link, to look at it and to go on from it. It can't be read.
int bskyauth_open_step(int directory, const char *name);

/// What is known of the mount that an open file is on. The last: the file itself is where something is mounted.
enum { bskyauth_mount_read_only = 1, bskyauth_mount_in_memory = 2, bskyauth_mount_root = 4 };

/// Tells the above of an open file, added up; -1 on an error.
long bskyauth_mount_traits(int descriptor);

/// Gives a file that was opened without a name a name in a directory. Needs /proc.
int bskyauth_give_name(int file, int directory, const char *name);

/// Reads the access control list of an open file, as xattr(7) stores it. Returns its length, or -1 if the file has none or it
/// does not fit.
long bskyauth_file_acl(int descriptor, void *buffer, size_t capacity);

/// Records the signals INT, TERM, HUP, QUIT, ALRM, USR1, USR2 and XCPU from now on instead of obeying them. Can't be nested.
void bskyauth_ending_signals_hold(void);

/// Restores the signals' earlier actions and raises the recorded signals on this thread, so that the process may end.
void bskyauth_ending_signals_release(void);

/// Records the signal TSTP from now on instead of obeying it. The signal CONT takes it back. Can't be nested.
void bskyauth_stop_signal_hold(void);

/// Restores the earlier action of TSTP and raises it on this thread if it was recorded.
void bskyauth_stop_signal_release(void);

/// Whether a signal was recorded.
int bskyauth_signals_pending(void);

/// Whether a signal was recorded that ends the process: any but TSTP.
int bskyauth_signals_ending(void);

/// From now on, INT and QUIT are ignored, and TERM and HUP are kept for a child (bskyauth_forward_signals_to). A signal that
/// the parent ignores stays ignored. Can't be nested.
///
/// Returns whether INT and QUIT were ignored before: 1 for INT, 2 for QUIT, 3 for both.
int bskyauth_forward_signals_begin(void);

/// Sends TERM and HUP to this child from now on, first those that were kept. 0 keeps them again.
void bskyauth_forward_signals_to(pid_t child);

/// Restores the signals' earlier actions.
void bskyauth_forward_signals_end(void);

/// While signals are held: waits for input (returns 1) or for a signal on any thread (returns 0); -1 on an error.
int bskyauth_wait_for_input(int descriptor);

/// An argument of this program, from 0, its name; NULL after the last.
const char *bskyauth_argument(int index);

/// The commit that the program was built from, as `git describe` prints it; NULL if the build did not set it.
const char *bskyauth_build_name(void);

#endif
