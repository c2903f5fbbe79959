#ifndef BSKYAUTH_COPENSSL_SHIMS_H
#define BSKYAUTH_COPENSSL_SHIMS_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>
#include <openssl/obj_mac.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/rand.h>

/// A new key on P-256. EVP_EC_gen is a macro over a variadic function.
static inline EVP_PKEY *bskyauth_p256_generate(void) {
    return EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
}

/// A key on P-256 from its private scalar (32 bytes) and its public point (uncompressed, 65), which are taken to belong
/// together; NULL where the point is not on the curve.
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

/// A key on P-256, which is the group, from its private scalar (32 bytes); the public point is computed, not given.
/// NULL where the scalar is zero or not below the order of the group.
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

/// A public key on P-256 from its uncompressed point (65 bytes); NULL where it is not on the curve.
static inline EVP_PKEY *bskyauth_p256_from_point(const unsigned char *point) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)"P-256", 0),
        OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, 65),
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
