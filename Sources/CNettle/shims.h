#ifndef BSKYAUTH_CNETTLE_SHIMS_H
#define BSKYAUTH_CNETTLE_SHIMS_H

// Whole operations, for what they compute with lies in structures that have to be overwritten where they lie: Swift may
// have moved them. Nettle leaves a part of the last block on the stack, which is overwritten too.

#include <nettle/gcm.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/sha2.h>
#include <nettle/version.h>
#include <string.h>

/// Overwrites memory with zeros, whether it is looked at again or not: the compiler can't know what is called.
static inline void bskyauth_clear(void *bytes, size_t count) {
    void *(*volatile set)(void *, int, size_t) = memset;
    set(bytes, 0, count);
}

/// Overwrites what the functions that were called just now had on the stack.
static __attribute__((noinline)) void bskyauth_clear_stack(void) {
    unsigned char below[4096];
    bskyauth_clear(below, sizeof below);
}

/// What a digest is made with, cut to `length`; Nettle 4 always gives it whole, and takes no length.
#if NETTLE_VERSION_MAJOR >= 4
#define BSKYAUTH_DIGEST(digest, context, length, bytes) digest(context, bytes)
#else
#define BSKYAUTH_DIGEST(digest, context, length, bytes) digest(context, length, bytes)
#endif

/// The SHA-256 digest of a message: 32 bytes.
static inline void bskyauth_sha256(const unsigned char *message, size_t count, unsigned char *digest) {
    struct sha256_ctx context;
    sha256_init(&context);
    sha256_update(&context, count, message);
    BSKYAUTH_DIGEST(sha256_digest, &context, SHA256_DIGEST_SIZE, digest);
    bskyauth_clear(&context, sizeof context);
    bskyauth_clear_stack();
}

/// The HMAC with SHA-256 of a message: 32 bytes.
static inline void bskyauth_hmac_sha256(
    const unsigned char *key, size_t key_count, const unsigned char *message, size_t count, unsigned char *code) {
    struct hmac_sha256_ctx context;
    hmac_sha256_set_key(&context, key_count, key);
    hmac_sha256_update(&context, count, message);
    BSKYAUTH_DIGEST(hmac_sha256_digest, &context, SHA256_DIGEST_SIZE, code);
    bskyauth_clear(&context, sizeof context);
    bskyauth_clear_stack();
}

static inline void bskyauth_aes256gcm_start(
    struct gcm_aes256_ctx *context, const unsigned char *key, const unsigned char *nonce, const unsigned char *data,
    size_t data_count) {
    gcm_aes256_set_key(context, key);
    gcm_aes256_set_iv(context, GCM_IV_SIZE, nonce);
    gcm_aes256_update(context, data_count, data);
}

/// Seals with AES-256-GCM, a key of 32 bytes and a nonce of 12: the ciphertext, `count` bytes, and the tag, 16.
static inline void bskyauth_aes256gcm_seal(
    const unsigned char *key, const unsigned char *nonce, const unsigned char *data, size_t data_count,
    const unsigned char *plaintext, size_t count, unsigned char *sealed) {
    struct gcm_aes256_ctx context;
    bskyauth_aes256gcm_start(&context, key, nonce, data, data_count);
    gcm_aes256_encrypt(&context, count, sealed, plaintext);
    BSKYAUTH_DIGEST(gcm_aes256_digest, &context, GCM_DIGEST_SIZE, sealed + count);
    bskyauth_clear(&context, sizeof context);
    bskyauth_clear_stack();
}

/// Opens what bskyauth_aes256gcm_seal made: `count` bytes of plaintext; 1 on success. The tags are compared in a time that
/// does not depend on them; where they differ, the plaintext is zeros.
static inline int bskyauth_aes256gcm_open(
    const unsigned char *key, const unsigned char *nonce, const unsigned char *data, size_t data_count,
    const unsigned char *sealed, size_t count, unsigned char *plaintext) {
    struct gcm_aes256_ctx context;
    unsigned char tag[GCM_DIGEST_SIZE];
    bskyauth_aes256gcm_start(&context, key, nonce, data, data_count);
    gcm_aes256_decrypt(&context, count, plaintext, sealed);
    BSKYAUTH_DIGEST(gcm_aes256_digest, &context, GCM_DIGEST_SIZE, tag);
    int done = memeql_sec(tag, sealed + count, sizeof tag);
    if (!done) bskyauth_clear(plaintext, count);
    bskyauth_clear(&context, sizeof context);
    bskyauth_clear_stack();
    return done;
}

#endif
