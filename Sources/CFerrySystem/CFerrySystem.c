// Ferry: CFerrySystem
// Linux's calls on files that Swift's Glibc module does not show.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CFerrySystem.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/xattr.h>

int ferry_allocate_keeping_size(int descriptor, off_t size) {
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, size);
}

int ferry_rename_without_replacing(int folder, const char *name, int new_folder, const char *new_name) {
    return renameat2(folder, name, new_folder, new_name, RENAME_NOREPLACE);
}

int ferry_start_writeback(int descriptor) { return sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); }

int ferry_set_modification_time(int descriptor, time_t seconds) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds}};
    return futimens(descriptor, times);
}

int ferry_has_default_access_list(int descriptor) {
    return fgetxattr(descriptor, "system.posix_acl_default", NULL, 0) > 0;
}

int ferry_set_attribute(int descriptor, const char *name, const void *value, size_t size) {
    return fsetxattr(descriptor, name, value, size, 0);
}

#endif
