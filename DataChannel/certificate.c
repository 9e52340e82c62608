// SPDX-License-Identifier: Apache-2.0

// A key and a certificate for one connection, P-256 as in browsers. GStreamer's own is RSA, which
// peers that only support ECDSA refuse. The certificate proves only that each end holds the key
// whose hash its description names (RFC 8122). It ends with the process.

#include "datachannel.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>

enum {
    // The validity in seconds: as long as in browsers, and it starts a day ago for a peer whose
    // clock is behind.
    valid_after = 30 * 24 * 3600,
    valid_before = -24 * 3600,
};

// Replaces OpenSSL's function. GStreamer first makes an RSA key for an unused certificate, which
// takes longer than all other work before the offer; here that fails. If GStreamer did not take our
// certificate, there would be no certificate and no channel.
int RSA_generate_key_ex(RSA *key, int bits, BIGNUM *exponent, BN_GENCB *progress) {
    (void)key, (void)bits, (void)exponent, (void)progress;
    return 0;
}

// GStreamer's message about the missing RSA certificate is expected.
static void pass_over(
    const char *domain, GLogLevelFlags level, const char *message, gpointer nothing
) {
    if (!strstr(message, "gst_dtls_agent_set_property"))
        g_log_default_handler(domain, level, message, nothing);
}

static bool fill(X509 *certificate, EVP_PKEY *key) {
    uint64_t serial = 0;
    X509_NAME *name = X509_get_subject_name(certificate);
    return RAND_bytes((unsigned char *)&serial, sizeof serial) == 1 &&
           X509_set_version(certificate, 2) == 1 &&
           ASN1_INTEGER_set_uint64(X509_get_serialNumber(certificate), serial >> 1) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(certificate), valid_before) &&
           X509_gmtime_adj(X509_getm_notAfter(certificate), valid_after) &&
           X509_set_pubkey(certificate, key) == 1 &&
           X509_NAME_add_entry_by_txt(
               name, "CN", MBSTRING_ASC, (const unsigned char *)"WebRTC", -1, -1, 0) == 1 &&
           X509_set_issuer_name(certificate, name) == 1 &&
           X509_sign(certificate, key, EVP_sha256()) > 0;
}

static char *fingerprint_of(const X509 *certificate) {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    if (X509_digest(certificate, EVP_sha256(), digest, &count) != 1) return NULL;
    GString *text = g_string_new(NULL);
    for (unsigned index = 0; index < count; index++)
        g_string_append_printf(text, index == 0 ? "%02X" : ":%02X", digest[index]);
    return g_string_free(text, FALSE);
}

char *certificate_make(char **fingerprint) {
    g_log_set_handler(NULL, G_LOG_LEVEL_CRITICAL, pass_over, NULL);
    char *text = NULL;
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *certificate = X509_new();
    BIO *memory = BIO_new(BIO_s_mem());
    if (key && certificate && memory && fill(certificate, key) &&
        PEM_write_bio_X509(memory, certificate) == 1 &&
        PEM_write_bio_PrivateKey(memory, key, NULL, NULL, 0, NULL, NULL) == 1) {
        char *bytes = NULL;
        long count = BIO_get_mem_data(memory, &bytes);
        *fingerprint = fingerprint_of(certificate);
        if (*fingerprint) text = g_strndup(bytes, (gsize)count);
    }
    BIO_free(memory);
    X509_free(certificate);
    EVP_PKEY_free(key);
    return text;
}

bool certificate_is_named(const char *pem, const GstSDPMessage *answer) {
    static const char hash[] = "sha-256 ";
    BIO *memory = pem ? BIO_new_mem_buf(pem, -1) : NULL;
    X509 *certificate = memory ? PEM_read_bio_X509(memory, NULL, NULL, NULL) : NULL;
    g_autofree char *fingerprint = certificate ? fingerprint_of(certificate) : NULL;
    X509_free(certificate);
    BIO_free(memory);
    if (!fingerprint) return false;
    // A description may hold several hashes (RFC 8122, 5); one has to match.
    bool is_named = false, is_other = false;
    g_auto(GStrv) values = sdp_fingerprints(answer);
    for (char **value = values; *value; value++) {
        if (g_ascii_strncasecmp(*value, hash, sizeof hash - 1) != 0) continue;
        if (g_ascii_strcasecmp(*value + sizeof hash - 1, fingerprint) == 0) is_named = true;
        else is_other = true;
    }
    return is_named && !is_other;
}
