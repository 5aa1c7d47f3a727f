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

#ifndef STATX_ATTR_MOUNT_ROOT
#define STATX_ATTR_MOUNT_ROOT 0x2000
#endif
#ifndef EXFAT_SUPER_MAGIC
#define EXFAT_SUPER_MAGIC 0x2011BAB0
#endif
#ifndef FUSE_SUPER_MAGIC
#define FUSE_SUPER_MAGIC 0x65735546
#endif
#ifndef CIFS_SUPER_MAGIC
#define CIFS_SUPER_MAGIC 0xFF534D42
#endif
#ifndef SMB2_SUPER_MAGIC
#define SMB2_SUPER_MAGIC 0xFE534D42
#endif

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

int ferry_is_mount_root(const char *path) {
    struct statx facts;
    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT, 0, &facts) != 0) return -1;
    if (!(facts.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT)) return -1;
    return (facts.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
}

int ferry_file_system(int descriptor, uint64_t *type, uint64_t *id, int64_t *free) {
    struct statfs facts;
    if (fstatfs(descriptor, &facts) != 0) return -1;
    *type = (uint32_t)facts.f_type;
    uint64_t size = facts.f_frsize > 0 ? facts.f_frsize : facts.f_bsize;
    if (facts.f_blocks == 0)
        *free = -1;
    else if (__builtin_mul_overflow((uint64_t)facts.f_bavail, size, free))
        *free = INT64_MAX;
    switch (*type) {
    // Derived from the UUID of the file system. Others derive it from the device number.
    case EXT4_SUPER_MAGIC:
    case BTRFS_SUPER_MAGIC:
    case F2FS_SUPER_MAGIC: *id = ((uint64_t)(uint32_t)facts.f_fsid.__val[1] << 32) | (uint32_t)facts.f_fsid.__val[0]; break;
    default: *id = 0;
    }
    return 0;
}

int ferry_keeps_inodes(uint64_t type) {
    switch (type) {
    // Their files have no stored number, or a program of the user's invents it.
    case MSDOS_SUPER_MAGIC:
    case EXFAT_SUPER_MAGIC:
    case FUSE_SUPER_MAGIC:
    case CIFS_SUPER_MAGIC:
    case SMB2_SUPER_MAGIC:
    case V9FS_MAGIC: return 0;
    default: return 1;
    }
}

int ferry_set_modification_time(int descriptor, time_t seconds) {
    // File systems that use libfuse 2 silently ignore a modification time without an access time.
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_sec = seconds}};
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
