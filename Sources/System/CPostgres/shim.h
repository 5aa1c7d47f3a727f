// libpq, the client library of PostgreSQL. Debian keeps its header in a folder of its own, Fedora does not.
#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#else
#include <postgresql/libpq-fe.h>
#endif
