internal import BskyAuthTestPrograms
internal import Foundation

/// A libcurl that refuses one option, as one that was built without it does.
package struct RefusingLibcurl: Sendable {
    private let library: URL

    package init(in home: Home) async throws {
        library = home.directory.appending(path: "libcurl.so")
        try await Program.compile(Self.source, to: library)
    }

    /// What a program is started with to get it.
    package func environment(refusing option: String) -> [String: String] {
        ["LD_PRELOAD": library.path, "REFUSED": option, "BSKYAUTH_NO_KEEPER": "1"]
    }

    /// Every option takes one argument, which is as large as a pointer.
    private static let source = """
        #define _GNU_SOURCE
        #include <curl/curl.h>
        #include <dlfcn.h>
        #include <stdarg.h>
        #include <stdlib.h>
        #undef curl_easy_setopt
        CURLcode curl_easy_setopt(CURL *handle, CURLoption option, ...) {
            CURLcode (*set)(CURL *, CURLoption, ...) = dlsym(RTLD_NEXT, "curl_easy_setopt");
            const struct curl_easyoption *refused = curl_easy_option_by_name(getenv("REFUSED"));
            if (refused && refused->id == option) return CURLE_UNKNOWN_OPTION;
            va_list arguments;
            va_start(arguments, option);
            void *value = va_arg(arguments, void *);
            va_end(arguments);
            return set(handle, option, value);
        }
        """
}
