// What no command that opens the vault can go below: `floor` is linked with the libraries that the program is linked
// with and does nothing. `floor crypto` computes one HMAC and seals one block, the first time in its process. `floor
// switch DIRECTORY` does that among the files of a vault: it reads four, one of them twice, and replaces one as durably as
// `bskyauth switch`, under a lock.
#include <curl/curl.h>
#include <fcntl.h>
#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/version.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

// Nettle 4 takes no length of a digest.
#if NETTLE_VERSION_MAJOR >= 4
#define DIGEST(digest, context, bytes) digest(context, bytes)
#else
#define DIGEST(digest, context, bytes) digest(context, sizeof bytes, bytes)
#endif

static const unsigned char key[32];
static int vault;

static int authenticate(void) {
    unsigned char code[32];
    struct hmac_sha256_ctx context;
    hmac_sha256_set_key(&context, sizeof key, key);
    hmac_sha256_update(&context, sizeof key, key);
    DIGEST(hmac_sha256_digest, &context, code);
    return memcmp(code, key, sizeof code) != 0;
}

// Seals a block under a nonce, which takes what opening it takes.
static int seal(const unsigned char *nonce) {
    unsigned char block[16], tag[16];
    struct gcm_aes256_ctx context;
    gcm_aes256_set_key(&context, key);
    gcm_aes256_set_iv(&context, 12, nonce);
    gcm_aes256_encrypt(&context, sizeof block, block, key);
    DIGEST(gcm_aes256_digest, &context, tag);
    return memcmp(tag, key, sizeof tag) != 0;
}

static int read_file(const char *name) {
    char bytes[4096];
    struct stat about;
    int file = openat(vault, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    return file >= 0 && fstat(file, &about) == 0 && pread(file, bytes, sizeof bytes, 0) > 0 && close(file) == 0;
}

static int replace_file(const char *name, const char *other) {
    unsigned char bytes[112] = {0};
    int file = openat(vault, other, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    return file >= 0 && pwrite(file, bytes, sizeof bytes, 0) == sizeof bytes && fsync(file) == 0 &&
        renameat(vault, other, vault, name) == 0 && fsync(vault) == 0;
}

static int switch_account(const char *directory) {
    unsigned char nonce[12];
    vault = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (vault < 0 || !read_file("vault.json") || !read_file("key") || !authenticate() || !seal(key)) return 0;
    if (!read_file("active") || !seal(key) || !read_file("profile") || !seal(key)) return 0;
    int lock = openat(vault, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return lock >= 0 && flock(lock, LOCK_EX) == 0 && read_file("active") && seal(key) &&
        getrandom(nonce, sizeof nonce, 0) == sizeof nonce && seal(nonce) && replace_file("active", "active-new");
}

int main(int count, char **arguments) {
    // Never true, and nothing a linker can know: the libraries stay.
    if (count > 99) {
        curl_easy_cleanup(curl_easy_init());
        OPENSSL_cleanse(arguments[1], 1);
    }
    int done = 0;
    if (count == 1) done = 1;
    if (count == 2 && strcmp(arguments[1], "crypto") == 0) done = authenticate() && seal(key);
    if (count == 3 && strcmp(arguments[1], "switch") == 0) done = switch_account(arguments[2]);
    // As the program ends: nothing is tidied up.
    _exit(done ? 0 : 1);
}
