#ifndef BSKYAUTH_SANDBOX_CGNUTLS_SHIMS_H
#define BSKYAUTH_SANDBOX_CGNUTLS_SHIMS_H

#include <gnutls/abstract.h>
#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

// Swift can't see macros with arguments, and refuses the mutable global behind gnutls_free.

static const unsigned sandbox_p256_bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1);

static inline void sandbox_free(gnutls_datum_t datum) { gnutls_free(datum.data); }

#endif
