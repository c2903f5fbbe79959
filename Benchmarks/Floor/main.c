// The least that a command which opens the vault can take: `floor` is linked with the libraries of the program and does
// nothing. `floor crypto` starts OpenSSL, computes one HMAC and seals one block. `floor switch DIRECTORY` does that with the
// files of a vault: it reads four of them, one twice, and replaces one as durably as `bskyauth switch`, under a lock.
#include <curl/curl.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char key[32];
static int vault;

static int authenticate(void) {
    unsigned char code[32];
    size_t length = 0;
    return EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key, sizeof key, key, sizeof key, code, sizeof code, &length) !=
        NULL;
}

// Seals a block under a nonce, which takes as long as opening it.
static int seal(const unsigned char *nonce) {
    unsigned char block[16], tag[16];
    int length = 0;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int done = context && EVP_EncryptInit_ex2(context, EVP_aes_256_gcm(), key, nonce, NULL) == 1 &&
        EVP_EncryptUpdate(context, block, &length, key, sizeof block) == 1 &&
        EVP_EncryptFinal_ex(context, tag, &length) == 1 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, sizeof tag, tag) == 1;
    EVP_CIPHER_CTX_free(context);
    return done;
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
    // Never true, which the linker can't know: it keeps libcurl.
    if (count > 99) curl_easy_cleanup(curl_easy_init());
    int done = 0;
    if (count == 1) done = 1;
    if (count == 2 && strcmp(arguments[1], "crypto") == 0) done = authenticate() && seal(key);
    if (count == 3 && strcmp(arguments[1], "switch") == 0) done = switch_account(arguments[2]);
    // The program ends like this too.
    _exit(done ? 0 : 1);
}
