// What no command that opens the vault can go below: `floor` is linked with the libraries that the program is linked
// with and does nothing; `floor crypto` computes one HMAC and seals one block, the first time in its process.
#include <curl/curl.h>
#include <openssl/evp.h>
#include <unistd.h>

static int authenticate(const unsigned char *key) {
    unsigned char code[32];
    size_t length = 0;
    return EVP_Q_mac(NULL, "HMAC", NULL, "SHA256", NULL, key, 32, key, 32, code, sizeof code, &length) != NULL;
}

static int seal(const unsigned char *key) {
    unsigned char block[16];
    int length = 0;
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    return cipher && EVP_EncryptInit_ex2(cipher, EVP_aes_256_gcm(), key, key, NULL) == 1 &&
        EVP_EncryptUpdate(cipher, block, &length, key, sizeof block) == 1;
}

int main(int count, char **arguments) {
    (void)arguments;
    static const unsigned char key[32];
    // Never true, and nothing a linker can know: the library stays.
    if (count > 99) curl_easy_cleanup(curl_easy_init());
    if (count > 1 && !(authenticate(key) && seal(key))) return 1;
    // As the program ends: nothing is tidied up.
    _exit(0);
}
