#!/usr/bin/env python3
"""Mounts a folder with FUSE as a file system with habits of its own:  oddfs.py FOLDER MOUNTPOINT HABIT…

  looks      another inode number at each look      paths      inode numbers that follow from paths
  chmod      refuses modes                          utimens    refuses times
  fsyncdir   refuses to sync folders                size       reports no blocks at all
  owner      shows all files as user 4321's         rename     a rename replaces no file, as over old SFTP
  links      refuses second links                   xattr      refuses extended attributes
"""
import errno
import itertools
import os
import sys
import zlib

import fusepy as fuse


class Odd(fuse.Operations):
    use_ns = True

    def __init__(self, root, habits):
        self.root, self.habits, self.looks = os.fsencode(os.path.realpath(root)), set(habits), itertools.count(1)

    def _full(self, path):
        return self.root + os.fsencode(path)

    def _refuse(self, habit, number=errno.EPERM):
        if habit in self.habits:
            raise fuse.FuseOSError(number)

    def getattr(self, path, fh=None):
        try:
            found = os.fstat(fh) if fh is not None else os.lstat(self._full(path))
        except OSError as error:
            raise fuse.FuseOSError(error.errno)
        shown = {key: getattr(found, key) for key in ("st_mode", "st_nlink", "st_size", "st_uid", "st_gid", "st_ino")}
        shown |= {"st_atime": found.st_atime_ns, "st_mtime": found.st_mtime_ns, "st_ctime": found.st_ctime_ns}
        if "looks" in self.habits:
            shown["st_ino"] = next(self.looks)
        if "paths" in self.habits:
            shown["st_ino"] = zlib.crc32(os.fsencode(path)) + 2
        if "owner" in self.habits:
            shown["st_uid"] = shown["st_gid"] = 4321
        return shown

    def statfs(self, path):
        found = os.statvfs(self._full(path))
        shown = {key: getattr(found, key) for key in
                 ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_favail", "f_ffree", "f_files", "f_flag", "f_frsize", "f_namemax")}
        if "size" in self.habits:
            shown |= {key: 0 for key in ("f_bavail", "f_bfree", "f_blocks")}
        return shown

    def readdir(self, path, fh):
        return [".", "..", *map(os.fsdecode, os.listdir(self._full(path)))]

    def create(self, path, mode, fi=None):
        return os.open(self._full(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def open(self, path, flags):
        return os.open(self._full(path), flags & ~(os.O_CREAT | os.O_EXCL))

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(fh if fh is not None else self._full(path), length)

    def flush(self, path, fh):
        return 0

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def fsyncdir(self, path, datasync, fh):
        self._refuse("fsyncdir", errno.EINVAL)

    def release(self, path, fh):
        os.close(fh)

    def chmod(self, path, mode):
        self._refuse("chmod")
        os.chmod(self._full(path), mode)

    def chown(self, path, uid, gid):
        raise fuse.FuseOSError(errno.EPERM)

    def utimens(self, path, times=None):
        self._refuse("utimens")
        os.utime(self._full(path), ns=times, follow_symlinks=False)

    def rename(self, old, new):
        if "rename" in self.habits and os.path.lexists(self._full(new)):
            raise fuse.FuseOSError(errno.EPERM)
        os.rename(self._full(old), self._full(new))

    def link(self, target, source):
        self._refuse("links")
        os.link(self._full(source), self._full(target))

    def unlink(self, path):
        os.unlink(self._full(path))

    def mkdir(self, path, mode):
        os.mkdir(self._full(path), mode)

    def rmdir(self, path):
        os.rmdir(self._full(path))

    def setxattr(self, path, name, value, options, position=0):
        self._refuse("xattr", errno.EOPNOTSUPP)
        os.setxattr(self._full(path), name, value)

    def getxattr(self, path, name, position=0):
        self._refuse("xattr", errno.EOPNOTSUPP)
        return os.getxattr(self._full(path), name)

    def listxattr(self, path):
        return os.listxattr(self._full(path))


if __name__ == "__main__":
    folder, place, *chosen = sys.argv[1:]
    # Without its cache of attributes the kernel asks at each look.
    fuse.FUSE(Odd(folder, chosen), place, foreground=True, nothreads=True, use_ino=True, attr_timeout=0, entry_timeout=0,
              allow_other=True)
