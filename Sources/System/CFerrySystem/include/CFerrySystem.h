// Ferry: CFerrySystem
// Linux file system calls that Swift's Glibc module lacks, under their own names with a prefix.

#ifndef CFERRYSYSTEM_H
#define CFERRYSYSTEM_H

#include "Inflate.h"
#include "Memory.h"
#include "Network.h"
#include "Spawn.h"
#include "Threads.h"
#include "Trap.h"

#if defined(__linux__)

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

/// fallocate(2) with FALLOC_FL_KEEP_SIZE.
int ferry_allocate_keeping_size(int descriptor, off_t size);

/// renameat2(2) with RENAME_NOREPLACE.
int ferry_rename_without_replacing(int folder, const char *name, int new_folder, const char *new_name);

/// sync_file_range(2) of the whole file. Only starts the writes.
int ferry_start_writeback(int descriptor);

/// `O_PATH` of open(2): opens a folder for finding files in it, without permission to read it.
extern const int ferry_path_only;

/// Whether a file has a hole before a position: 1 or 0. Always 0 on file systems that turn written zeros into holes.
int ferry_has_hole(int descriptor, int64_t position);

/// syncfs(2), if it guarantees as much as fdatasync(2) of each file. Else fails with EOPNOTSUPP.
int ferry_sync_file_system(int descriptor);

/// futimens(2) that sets the access time to the present.
int ferry_set_modification_time(int descriptor, time_t seconds);

/// Whether a folder has a default access control list for new files: 1 or 0.
int ferry_has_default_access_list(int descriptor);

/// Whether a path is the root of a mount: 1 or 0, or -1 if the kernel does not tell (before Linux 5.8).
int ferry_is_mount_root(const char *path);

/// The type of the file system of an open file and, where it stays the same on every machine, its id, otherwise 0.
/// Returns -1 on failure. `free` is -1 where the file system reports no blocks at all.
int ferry_file_system(int descriptor, uint64_t *type, uint64_t *id, int64_t *free);

/// Whether the file system of this type keeps the inode numbers of its files over mounts: 1 or 0.
int ferry_keeps_inodes(uint64_t type);

/// fsetxattr(2) without flags.
int ferry_set_attribute(int descriptor, const char *name, const void *value, size_t size);

/// fgetxattr(2).
ssize_t ferry_get_attribute(int descriptor, const char *name, void *value, size_t size);

#endif
#endif
