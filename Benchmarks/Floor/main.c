// What no command that opens the vault can go below: `floor` is linked with the libraries that the program is linked
// with and does nothing. `floor crypto` computes one HMAC and seals one block, the first time in its process, with
// OpenSSL set up as the program does where it asks no server. `floor switch DIRECTORY` does that among the files of a
// vault: it reads four, one of them twice, and replaces one as durably as `bskyauth switch`, under a lock.
#include <curl/curl.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const unsigned char key[32];
static int vault;

static int start(void) {
    return OPENSSL_init_crypto(
        OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS, NULL);
}

static int authenticate(void) {
    unsigned char code[32];
    size_t length = 0;
    return EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key, 32, key, 32, code, sizeof code, &length) != NULL;
}

// Seals a block under a nonce, which takes what opening it takes.
static int seal(const unsigned char *nonce) {
    unsigned char block[16], tag[16];
    int length = 0;
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    return cipher && EVP_EncryptInit_ex2(cipher, EVP_aes_256_gcm(), key, nonce, NULL) == 1 &&
        EVP_EncryptUpdate(cipher, block, &length, key, sizeof block) == 1 &&
        EVP_EncryptFinal_ex(cipher, block, &length) == 1 &&
        EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, sizeof tag, tag) == 1;
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
        RAND_bytes(nonce, sizeof nonce) == 1 && seal(nonce) && replace_file("active", "active-new");
}

int main(int count, char **arguments) {
    // Never true, and nothing a linker can know: the library stays.
    if (count > 99) curl_easy_cleanup(curl_easy_init());
    int done = 0;
    if (count == 1) done = 1;
    if (count == 2 && strcmp(arguments[1], "crypto") == 0) done = start() && authenticate() && seal(key);
    if (count == 3 && strcmp(arguments[1], "switch") == 0) done = start() && switch_account(arguments[2]);
    // As the program ends: nothing is tidied up.
    _exit(done ? 0 : 1);
}
