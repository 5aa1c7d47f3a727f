// The files of the gateway's page.

#ifndef FERRYPAGE_H
#define FERRYPAGE_H

#include <stddef.h>

/// One file; all of it lives as long as the program.
typedef struct {
    /// Where the gateway serves it.
    const char *path;
    const char *content_type;
    const unsigned char *bytes;
    size_t count;
} FerryPageFile;

/// The number of files.
size_t ferry_page_count(void);

/// A file by its place, from 0 to one less than their number.
FerryPageFile ferry_page_file(size_t place);

#endif
