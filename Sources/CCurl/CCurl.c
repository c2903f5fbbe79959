#include "CCurl.h"

#include <dlfcn.h>
#include <stdint.h>

#ifdef __APPLE__
#define LIBCURL "libcurl.4.dylib"
#else
#define LIBCURL "libcurl.so.4"

/// What tools that look for libraries read, as there is no DT_NEEDED for them to find:
/// https://uapi-group.org/specifications/specs/elf_dlopen_metadata/
#define METADATA \
    "[{\"feature\":\"network\",\"description\":\"requests to servers\"," \
    "\"priority\":\"required\",\"soname\":[\"" LIBCURL "\"]}]"
__attribute__((used, section(".note.dlopen"))) static const struct {
    uint32_t name_size, description_size, type;
    char name[4];
    _Alignas(uint32_t) char description[sizeof METADATA];
} note = {4, sizeof METADATA, 0x407c0c0a, "FDO", METADATA};
#endif

/// Every function in use, once.
#define FUNCTIONS(each) \
    each(curl_global_init) each(curl_slist_append) each(curl_slist_free_all) \
    each(curl_easy_init) each(curl_easy_cleanup) each(curl_easy_pause) each(curl_easy_strerror) \
    each(curl_easy_setopt) each(curl_easy_getinfo) \
    each(curl_multi_init) each(curl_multi_add_handle) each(curl_multi_remove_handle) each(curl_multi_perform) \
    each(curl_multi_info_read) each(curl_multi_poll) each(curl_multi_wakeup)

static struct {
#define MEMBER(name) __typeof__(&name) name;
    FUNCTIONS(MEMBER)
} library;

const char *bskyauth_curl_load(void) {
    void *handle = dlopen(LIBCURL, RTLD_LAZY | RTLD_LOCAL);
    if (!handle) return dlerror();
#define FIND(name) \
    if (!(library.name = (__typeof__(&name))dlsym(handle, #name))) return dlerror();
    FUNCTIONS(FIND)
    return library.curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK ? NULL : "libcurl did not start";
}

struct curl_slist *bskyauth_curl_slist_append(struct curl_slist *list, const char *line) {
    return library.curl_slist_append(list, line);
}
void bskyauth_curl_slist_free_all(struct curl_slist *list) { library.curl_slist_free_all(list); }

CURL *bskyauth_curl_easy_init(void) { return library.curl_easy_init(); }
void bskyauth_curl_easy_cleanup(CURL *handle) { library.curl_easy_cleanup(handle); }
CURLcode bskyauth_curl_easy_pause(CURL *handle, int directions) {
    return library.curl_easy_pause(handle, directions);
}
const char *bskyauth_curl_easy_strerror(CURLcode code) { return library.curl_easy_strerror(code); }

CURLM *bskyauth_curl_multi_init(void) { return library.curl_multi_init(); }
CURLMcode bskyauth_curl_multi_add_handle(CURLM *multi, CURL *handle) {
    return library.curl_multi_add_handle(multi, handle);
}
CURLMcode bskyauth_curl_multi_remove_handle(CURLM *multi, CURL *handle) {
    return library.curl_multi_remove_handle(multi, handle);
}
CURLMcode bskyauth_curl_multi_perform(CURLM *multi, int *running) {
    return library.curl_multi_perform(multi, running);
}
CURLMcode bskyauth_curl_multi_poll(CURLM *multi, int milliseconds) {
    return library.curl_multi_poll(multi, NULL, 0, milliseconds, NULL);
}
CURLMcode bskyauth_curl_multi_wakeup(CURLM *multi) { return library.curl_multi_wakeup(multi); }
CURLMsg *bskyauth_curl_multi_info_read(CURLM *multi, int *left) {
    return library.curl_multi_info_read(multi, left);
}

CURLcode bskyauth_curl_set_long(CURL *handle, CURLoption option, long value) {
    return library.curl_easy_setopt(handle, option, value);
}
CURLcode bskyauth_curl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
    return library.curl_easy_setopt(handle, option, value);
}
CURLcode bskyauth_curl_set_string(CURL *handle, CURLoption option, const char *value) {
    return library.curl_easy_setopt(handle, option, value);
}
CURLcode bskyauth_curl_set_pointer(CURL *handle, CURLoption option, void *value) {
    return library.curl_easy_setopt(handle, option, value);
}
CURLcode bskyauth_curl_set_list(CURL *handle, CURLoption option, struct curl_slist *value) {
    return library.curl_easy_setopt(handle, option, value);
}
CURLcode bskyauth_curl_set_data_callback(CURL *handle, CURLoption option, bskyauth_curl_data_callback callback) {
    return library.curl_easy_setopt(handle, option, callback);
}
CURLcode bskyauth_curl_set_seek_callback(CURL *handle, bskyauth_curl_seek_callback callback) {
    return library.curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, callback);
}
CURLcode bskyauth_curl_set_opensocket_callback(CURL *handle, bskyauth_curl_opensocket_callback callback) {
    return library.curl_easy_setopt(handle, CURLOPT_OPENSOCKETFUNCTION, callback);
}

CURLcode bskyauth_curl_get_long(CURL *handle, CURLINFO info, long *value) {
    return library.curl_easy_getinfo(handle, info, value);
}
