#ifndef BSKYAUTH_CCURL_SHIMS_H
#define BSKYAUTH_CCURL_SHIMS_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

/// Swift can't call the variadic functions curl_easy_setopt and curl_easy_getinfo. Each wrapper takes one type of argument.

typedef size_t (*bskyauth_curl_data_callback)(char *, size_t, size_t, void *);
typedef int (*bskyauth_curl_seek_callback)(void *, curl_off_t, int);
typedef int (*bskyauth_curl_prereq_callback)(void *, char *, char *, int, int);
typedef curl_socket_t (*bskyauth_curl_opensocket_callback)(void *, curlsocktype, struct curl_sockaddr *);

static inline CURLcode bskyauth_curl_set_long(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bskyauth_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bskyauth_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bskyauth_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bskyauth_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode bskyauth_curl_set_data_callback(CURL *handle, CURLoption option,
                                                       bskyauth_curl_data_callback callback) {
    return curl_easy_setopt(handle, option, callback);
}

static inline CURLcode bskyauth_curl_set_seek_callback(CURL *handle, bskyauth_curl_seek_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}

static inline CURLcode bskyauth_curl_set_prereq_callback(CURL *handle, bskyauth_curl_prereq_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_PREREQFUNCTION, callback);
}

static inline CURLcode bskyauth_curl_set_opensocket_callback(CURL *handle,
                                                             bskyauth_curl_opensocket_callback callback) {
    return curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

static inline CURLcode bskyauth_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode bskyauth_curl_get_offset(CURL *handle, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(handle, info, value);
}

static inline CURLcode bskyauth_curl_get_pointer(CURL *handle, CURLINFO info, void **value) {
    return curl_easy_getinfo(handle, info, value);
}

/// The result of the transfer that a message reports as finished.
static inline CURLcode bskyauth_curl_message_result(const CURLMsg *message) {
    return message->data.result;
}

/// Opens the socket that libcurl asked for. It is closed on exec.
static inline curl_socket_t bskyauth_curl_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// The address that libcurl is about to connect to, in network order. Returns 4 or 16, or 0 for another address family.
static inline int bskyauth_curl_address_bytes(const struct curl_sockaddr *address, unsigned char bytes[16]) {
    if (address->family == AF_INET) {
        const unsigned char *from =
            (const unsigned char *)&((const struct sockaddr_in *)(const void *)&address->addr)->sin_addr;
        for (int i = 0; i < 4; i++) bytes[i] = from[i];
        return 4;
    }
    if (address->family == AF_INET6) {
        const unsigned char *from =
            (const unsigned char *)&((const struct sockaddr_in6 *)(const void *)&address->addr)->sin6_addr;
        for (int i = 0; i < 16; i++) bytes[i] = from[i];
        return 16;
    }
    return 0;
}

/// The file and the directory of certificates that libcurl was built with; NULL if it has none.
static inline const char *bskyauth_curl_system_file(void) { return curl_version_info(CURLVERSION_NOW)->cainfo; }
static inline const char *bskyauth_curl_system_directory(void) { return curl_version_info(CURLVERSION_NOW)->capath; }

#endif
