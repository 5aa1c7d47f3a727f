// Ferry: CFerrySystem
// Memory use of the process.

// dl_iterate_phdr(3)
#define _GNU_SOURCE

#include "Memory.h"

#include <stdint.h>
#include <stdlib.h>

#if defined(__GLIBC__)
#include <malloc.h>
#endif

#if defined(__linux__)
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

void ferry_limit_arenas(int count) {
#if defined(__GLIBC__)
    (void)mallopt(M_ARENA_MAX, count);
#else
    (void)count;
#endif
}

#if defined(__linux__)
/// Releases the resident read-only pages of the program itself, which is the first object.
static int unmap_program(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    (void)context;
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    for (int index = 0; index < info->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
        // Whole pages only: the first and the last page may be shared with a neighbor.
        uintptr_t begin = (info->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
        uintptr_t end = (info->dlpi_addr + segment->p_vaddr + segment->p_filesz) & ~(page - 1);
        if (begin < end) (void)madvise((void *)begin, end - begin, MADV_DONTNEED);
    }
    return 1;
}
#endif

void ferry_give_memory_back(void) {
#if defined(__GLIBC__)
    (void)malloc_trim(0);
#endif
#if defined(__linux__)
    (void)dl_iterate_phdr(unmap_program, NULL);
#endif
}
