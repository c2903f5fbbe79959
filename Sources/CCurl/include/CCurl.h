#ifndef BSKYAUTH_CCURL_H
#define BSKYAUTH_CCURL_H

#include <curl/curl.h>
#include <netinet/in.h>
#include <sys/socket.h>

/// libcurl with the thirty libraries that it brings is loaded when the first request is made: most commands make
/// none, and it takes as long to load as such a command takes to run. These are the functions of libcurl in use,
/// by their own names behind ours; none may be called before bskyauth_curl_load has succeeded.

/// Loads and starts libcurl, once in a process; NULL, or why that can't be done.
const char *bskyauth_curl_load(void);

struct curl_slist *bskyauth_curl_slist_append(struct curl_slist *list, const char *line);
void bskyauth_curl_slist_free_all(struct curl_slist *list);

CURL *bskyauth_curl_easy_init(void);
void bskyauth_curl_easy_cleanup(CURL *handle);
CURLcode bskyauth_curl_easy_pause(CURL *handle, int directions);
const char *bskyauth_curl_easy_strerror(CURLcode code);

CURLM *bskyauth_curl_multi_init(void);
CURLMcode bskyauth_curl_multi_add_handle(CURLM *multi, CURL *handle);
CURLMcode bskyauth_curl_multi_remove_handle(CURLM *multi, CURL *handle);
CURLMcode bskyauth_curl_multi_perform(CURLM *multi, int *running);
CURLMcode bskyauth_curl_multi_poll(CURLM *multi, int milliseconds);
CURLMcode bskyauth_curl_multi_wakeup(CURLM *multi);
CURLMsg *bskyauth_curl_multi_info_read(CURLM *multi, int *left);

/// curl_easy_setopt and curl_easy_getinfo are variadic, so Swift cannot see them:
/// one typed wrapper per class of argument.

typedef size_t (*bskyauth_curl_data_callback)(char *, size_t, size_t, void *);
typedef int (*bskyauth_curl_seek_callback)(void *, curl_off_t, int);
typedef curl_socket_t (*bskyauth_curl_opensocket_callback)(void *, curlsocktype, struct curl_sockaddr *);

CURLcode bskyauth_curl_set_long(CURL *handle, CURLoption option, long value);
CURLcode bskyauth_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
CURLcode bskyauth_curl_set_string(CURL *handle, CURLoption option, const char *value);
CURLcode bskyauth_curl_set_pointer(CURL *handle, CURLoption option, void *value);
CURLcode bskyauth_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value);
CURLcode bskyauth_curl_set_data_callback(CURL *handle, CURLoption option, bskyauth_curl_data_callback callback);
CURLcode bskyauth_curl_set_seek_callback(CURL *handle, bskyauth_curl_seek_callback callback);
CURLcode bskyauth_curl_set_opensocket_callback(CURL *handle, bskyauth_curl_opensocket_callback callback);

CURLcode bskyauth_curl_get_long(CURL *handle, CURLINFO info, long *value);

/// The transfer a finished message is about, and its result.
static inline CURLcode bskyauth_curl_message_result(const CURLMsg *message) {
    return message->data.result;
}

/// Opens the socket libcurl asked for, closed on exec.
static inline curl_socket_t bskyauth_curl_open_socket(const struct curl_sockaddr *address) {
    return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

/// The address libcurl is about to connect to, in network order: 4 or 16 bytes, 0 for another family.
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

#endif
