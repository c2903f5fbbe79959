#ifndef CATPPOSTGRESQL_SHIMS_H
#define CATPPOSTGRESQL_SHIMS_H

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/// Swift can't easily make the arrays of pointers that libpq takes. These functions take values in their place.

/// The name of a variable that is set and can lead libpq to other rows: options such as `search_path`, or a service with another
/// server and database. NULL if none is set. They can't be overridden: libpq takes them for an empty option too, and some poolers
/// refuse the option `options`.
static inline const char *bskyauth_pq_refused_variable(void) {
    static const char *const names[] = {"PGOPTIONS", "PGSERVICE", "PGSERVICEFILE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        if (value && *value) return names[i];
    }
    return NULL;
}

/// Begins to connect. NULL if there is no memory left.
///
/// An empty text leaves an option to libpq, which may take it from the environment. `host` and `sslmode` must not be empty.
/// `time_limit` is in milliseconds.
static inline PGconn *bskyauth_pq_connect(
    const char *host, const char *address, const char *port, const char *database, const char *user,
    const char *password, const char *sslmode, const char *authorities, const char *time_limit) {
    const char *names[] = {
        "host", "hostaddr", "port", "dbname", "user", "password", "sslmode", "sslrootcert",
        // The time for bytes that the other side does not acknowledge.
        "tcp_user_timeout",
        // Otherwise encryption by Kerberos could take the place of TLS and its certificate.
        "gssencmode",
        // Names of schemas are in answers.
        "client_encoding",
        "target_session_attrs", "application_name", NULL,
    };
    const char *values[] = {
        host, address, port, database, user, password, sslmode, authorities,
        time_limit, "disable", "UTF8", "any", "bskyauth", NULL,
    };
    return PQconnectStartParams(names, values, 0);
}

/// Queues a statement with unnamed parameters, and asks for a binary result; 1 on success.
///
/// The bytes of all parameters are in one block: parameter i begins at starts[i] and has lengths[i] bytes. It is NULL if
/// starts[i] is negative. formats[i] is 1 for a bytea, and 0 for a text, which ends with a zero byte that its length does not
/// count. The types are named to the server, because it can't find out the type of a parameter that the statement does not use.
static inline int bskyauth_pq_send(
    PGconn *connection, const char *statement, int count, const unsigned char *bytes, const int *starts,
    const int *lengths, const int *formats) {
    // The OIDs of types are fixed (pg_type.dat).
    enum { most = 8, bytea = 17, text = 25 };
    const char *values[most] = {NULL};
    Oid types[most];
    if (count < 0 || count > most) return 0;
    for (int i = 0; i < count; i++) {
        if (starts[i] >= 0) values[i] = (const char *)bytes + starts[i];
        types[i] = formats[i] ? bytea : text;
    }
    return PQsendQueryParams(connection, statement, count, types, values, lengths, formats, 1);
}

/// Counts the server's warnings, and drops its other notices. libpq would print all of them.
static inline void bskyauth_pq_count_warning(void *count, const PGresult *notice) {
    const char *severity = PQresultErrorField(notice, PG_DIAG_SEVERITY_NONLOCALIZED);
    if (severity && strcmp(severity, "WARNING") == 0) *(int *)count += 1;
}

/// Counts the warnings of a connection from now on.
static inline void bskyauth_pq_count_warnings(PGconn *connection, int *count) {
    PQsetNoticeReceiver(connection, bskyauth_pq_count_warning, count);
}

/// Waits until the socket of a connection can be read or, if `writes` is not 0, written.
///
/// Returns 0 if the time in milliseconds has passed, -1 on a failure, and -2 if a signal ended the wait.
static inline int bskyauth_pq_wait(const PGconn *connection, int reads, int writes, int milliseconds) {
    struct pollfd socket = {
        .fd = PQsocket(connection), .events = (short)((reads ? POLLIN : 0) | (writes ? POLLOUT : 0))};
    if (socket.fd < 0) return -1;
    int result = poll(&socket, 1, milliseconds);
    return result < 0 && errno == EINTR ? -2 : result;
}

#endif
