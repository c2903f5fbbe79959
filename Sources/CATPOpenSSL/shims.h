#ifndef BSKYAUTH_COPENSSL_SHIMS_H
#define BSKYAUTH_COPENSSL_SHIMS_H

#include <limits.h>
#include <openssl/bn.h>
#include <openssl/conf.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>

/// Starts OpenSSL in this process and loads its configuration; 0 if the configuration file can't be read.
///
/// As in every other program, a missing file or a provider that does not load is no error here. Afterwards,
/// bskyauth_missing_algorithm checks that the configuration offers all needed algorithms. The texts of OpenSSL's errors and
/// its legacy tables of cipher names are not loaded, because neither this program nor TLS uses them.
static inline int bskyauth_openssl_start(void) {
    OPENSSL_INIT_SETTINGS *settings = OPENSSL_INIT_new();
    if (!settings) return 0;
    OPENSSL_INIT_set_config_file_flags(
        settings, CONF_MFLAGS_DEFAULT_SECTION | CONF_MFLAGS_IGNORE_MISSING_FILE | CONF_MFLAGS_IGNORE_ERRORS);
    uint64_t options = OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_LOAD_CONFIG;
    int started = OPENSSL_init_crypto(options, settings);
    OPENSSL_INIT_free(settings);
    return started;
}

/// The first algorithm of the vault that the configured OpenSSL does not offer; NULL if it offers all of them.
static inline const char *bskyauth_missing_algorithm(void) {
    EVP_MD *digest = EVP_MD_fetch(NULL, "SHA256", NULL);
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    const char *missing = !digest ? "SHA-256" : !mac ? "HMAC" : !kdf ? "HKDF" : !cipher ? "AES-GCM" : NULL;
    EVP_MD_free(digest);
    EVP_MAC_free(mac);
    EVP_KDF_free(kdf);
    EVP_CIPHER_free(cipher);
    return missing;
}

/// HKDF with SHA-256 (RFC 5869), extraction and expansion; 1 on success.
static inline int bskyauth_hkdf_sha256(
    const unsigned char *secret, size_t secret_count, const unsigned char *salt, size_t salt_count,
    const unsigned char *info, size_t info_count, unsigned char *key, size_t count) {
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)"SHA256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_KEY, (void *)secret, secret_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_SALT, (void *)salt, salt_count),
        OSSL_PARAM_construct_octet_string(OSSL_KDF_PARAM_INFO, (void *)info, info_count),
        OSSL_PARAM_construct_end(),
    };
    EVP_KDF *algorithm = EVP_KDF_fetch(NULL, "HKDF", NULL);
    EVP_KDF_CTX *context = algorithm ? EVP_KDF_CTX_new(algorithm) : NULL;
    int done = context && EVP_KDF_derive(context, key, count, params) == 1;
    EVP_KDF_CTX_free(context);
    EVP_KDF_free(algorithm);
    return done;
}

/// A context for AES-256-GCM with its key (32 bytes), its nonce (12) and the authenticated data; NULL on a failure.
static inline EVP_CIPHER_CTX *bskyauth_aes256gcm_start(
    int encrypts, const unsigned char *key, const unsigned char *nonce, const unsigned char *data, size_t data_count) {
    EVP_CIPHER *algorithm = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int length = 0;
    int done = algorithm && context && data_count <= INT_MAX &&
        EVP_CipherInit_ex2(context, algorithm, key, nonce, encrypts, NULL) == 1 &&
        (data_count == 0 || EVP_CipherUpdate(context, NULL, &length, data, (int)data_count) == 1);
    EVP_CIPHER_free(algorithm);
    if (done) return context;
    EVP_CIPHER_CTX_free(context);
    return NULL;
}

/// Encrypts or decrypts the whole text; 1 on success.
static inline int bskyauth_aes256gcm_update(
    EVP_CIPHER_CTX *context, const unsigned char *input, size_t count, unsigned char *output) {
    int length = 0;
    if (count == 0) return 1;
    return count <= INT_MAX && EVP_CipherUpdate(context, output, &length, input, (int)count) == 1 &&
        (size_t)length == count;
}

/// Seals with AES-256-GCM: `sealed` gets the ciphertext, `count` bytes, and then the tag, 16 bytes; 1 on success.
static inline int bskyauth_aes256gcm_seal(
    const unsigned char *key, const unsigned char *nonce, const unsigned char *data, size_t data_count,
    const unsigned char *plaintext, size_t count, unsigned char *sealed) {
    EVP_CIPHER_CTX *context = bskyauth_aes256gcm_start(1, key, nonce, data, data_count);
    int length = 0;
    int done = context && bskyauth_aes256gcm_update(context, plaintext, count, sealed) &&
        EVP_CipherFinal_ex(context, sealed + count, &length) == 1 && length == 0 &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, sealed + count) == 1;
    EVP_CIPHER_CTX_free(context);
    return done;
}

enum bskyauth_opening { bskyauth_opened, bskyauth_not_authentic, bskyauth_not_done };

/// Opens the output of bskyauth_aes256gcm_seal into `count` bytes of plaintext. Unless the result is bskyauth_opened, the
/// caller overwrites the plaintext, because OpenSSL decrypts before it checks the tag.
static inline enum bskyauth_opening bskyauth_aes256gcm_open(
    const unsigned char *key, const unsigned char *nonce, const unsigned char *data, size_t data_count,
    const unsigned char *sealed, size_t count, unsigned char *plaintext) {
    EVP_CIPHER_CTX *context = bskyauth_aes256gcm_start(0, key, nonce, data, data_count);
    unsigned char rest[16];
    int length = 0;
    int decrypted = context && bskyauth_aes256gcm_update(context, sealed, count, plaintext) &&
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, (void *)(sealed + count)) == 1;
    int authentic = decrypted && EVP_CipherFinal_ex(context, rest, &length) == 1 && length == 0;
    EVP_CIPHER_CTX_free(context);
    if (!decrypted) return bskyauth_not_done;
    return authentic ? bskyauth_opened : bskyauth_not_authentic;
}

/// A new key on P-256. EVP_EC_gen is a macro over a variadic function.
static inline EVP_PKEY *bskyauth_p256_generate(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

/// A key on P-256 from its private scalar (32 bytes) and its public point (uncompressed, 65 bytes). It is not checked that
/// they belong together. NULL if the point is not on the curve.
static inline EVP_PKEY *bskyauth_p256_from_pair(const unsigned char *scalar, const unsigned char *point) {
    EVP_PKEY *key = NULL;
    BIGNUM *d = BN_secure_new();
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (d && builder && context && BN_bin2bn(scalar, 32, d) &&
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 65) == 1 &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_PRIV_KEY, d) == 1 &&
        (params = OSSL_PARAM_BLD_to_param(builder)) != NULL && EVP_PKEY_fromdata_init(context) == 1) {
        if (EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, params) != 1) key = NULL;
    }
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(builder);
    EVP_PKEY_CTX_free(context);
    BN_clear_free(d);
    return key;
}

/// A key on P-256 from its private scalar (32 bytes). The public point is computed. `group` is P-256.
/// NULL if the scalar is zero or not below the order of the group.
static inline EVP_PKEY *bskyauth_p256_from_scalar(const EC_GROUP *group, const unsigned char *scalar) {
    EVP_PKEY *key = NULL;
    BIGNUM *d = BN_secure_new();
    EC_POINT *point = group ? EC_POINT_new(group) : NULL;
    unsigned char public_key[65];
    if (group && d && point && BN_bin2bn(scalar, 32, d) && !BN_is_zero(d) &&
        BN_cmp(d, EC_GROUP_get0_order(group)) < 0) {
        BN_set_flags(d, BN_FLG_CONSTTIME);
        if (EC_POINT_mul(group, point, d, NULL, NULL, NULL) == 1 &&
            EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, public_key, 65, NULL) == 65)
            key = bskyauth_p256_from_pair(scalar, public_key);
    }
    EC_POINT_free(point);
    BN_clear_free(d);
    return key;
}

/// A public key on a named curve from its point, compressed or uncompressed; NULL if it is not on the curve.
static inline EVP_PKEY *bskyauth_ec_from_point(const char *group, const unsigned char *point, size_t count) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)group, 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, count),
        OSSL_PARAM_construct_end(),
    };
    if (context && EVP_PKEY_fromdata_init(context) == 1 &&
        EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, params) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(context);
    return key;
}

/// The private scalar as 32 bytes; 1 on success.
static inline int bskyauth_p256_scalar(const EVP_PKEY *key, unsigned char *scalar) {
    BIGNUM *d = NULL;
    int done = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &d) == 1 && BN_bn2binpad(d, scalar, 32) == 32;
    BN_clear_free(d);
    return done;
}

/// The public point, uncompressed: 65 bytes; 1 on success.
static inline int bskyauth_p256_point(const EVP_PKEY *key, unsigned char *point) {
    size_t length = 0;
    return EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, 65, &length) == 1 && length == 65;
}

#endif
