// Ferry: CFerrySystem
// Linux file system calls that Swift's Glibc module lacks.

#if defined(__linux__)

#define _GNU_SOURCE
#include "CFerrySystem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

int ferry_allocate_keeping_size(int descriptor, off_t size) {
    return fallocate(descriptor, FALLOC_FL_KEEP_SIZE, 0, size);
}

int ferry_rename_without_replacing(int folder, const char *name, int new_folder, const char *new_name) {
    return renameat2(folder, name, new_folder, new_name, RENAME_NOREPLACE);
}

int ferry_start_writeback(int descriptor) { return sync_file_range(descriptor, 0, 0, SYNC_FILE_RANGE_WRITE); }

const int ferry_path_only = O_PATH;

int ferry_has_hole(int descriptor, int64_t position) {
    struct statfs facts;
    if (fstatfs(descriptor, &facts) != 0) return 0;
    switch ((unsigned long)facts.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC: {
        off_t hole = lseek(descriptor, 0, SEEK_HOLE);
        return hole >= 0 && hole < position;
    }
    default: return 0;
    }
}

/// Whether syncfs(2) of this file system makes all files as durable as fdatasync(2) would. The kernel does not pass syncfs(2) to
/// user-space file systems, and network file systems have guarantees of their own.
static int syncs_whole(int descriptor) {
    struct statfs facts;
    if (fstatfs(descriptor, &facts) != 0) return 0;
    switch ((unsigned long)facts.f_type) {
    case EXT4_SUPER_MAGIC:
    case XFS_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC:
    case TMPFS_MAGIC: return 1;
    default: return 0;
    }
}

/// Whether syncfs(2) reports failed writes: since Linux 5.8, according to its manual page.
static int tells_failures(void) {
    struct utsname name;
    int major = 0, minor = 0;
    if (uname(&name) != 0 || sscanf(name.release, "%d.%d", &major, &minor) != 2) return 0;
    return major > 5 || (major == 5 && minor >= 8);
}

int ferry_sync_file_system(int descriptor) {
    if (!tells_failures() || !syncs_whole(descriptor)) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return syncfs(descriptor);
}

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

ssize_t ferry_get_attribute(int descriptor, const char *name, void *value, size_t size) {
    return fgetxattr(descriptor, name, value, size);
}

#endif
