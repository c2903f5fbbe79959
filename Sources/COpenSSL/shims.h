#ifndef BSKYAUTH_COPENSSL_SHIMS_H
#define BSKYAUTH_COPENSSL_SHIMS_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>

#endif
