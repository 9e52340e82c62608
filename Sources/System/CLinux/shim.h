// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>

// prctl is variadic.
static inline int linux_shim_forbid_dumps(void) {
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

// Sets the name that process lists show for this process, at most 15 bytes.
static inline int linux_shim_name_process(const char *_Nonnull name) {
    return prctl(PR_SET_NAME, name, 0, 0, 0);
}

static inline int linux_shim_allows_dumps(void) {
    return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0);
}

// Writes the note NT_GNU_BUILD_ID of the running program (System V ABI, Note Section) to `id`.
// Returns its length in bytes; 0 if the program has no such note or the note is longer than `size`.
static inline size_t linux_shim_build_id(uint8_t *_Nonnull id, size_t size) {
    const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
    const size_t count = getauxval(AT_PHNUM);
    uintptr_t base = 0;
    for (size_t i = 0; headers && i < count; i++)
        if (headers[i].p_type == PT_PHDR) base = (uintptr_t)headers - headers[i].p_vaddr;
    for (size_t i = 0; base && i < count; i++) {
        if (headers[i].p_type != PT_NOTE) continue;
        const uint8_t *note = (const uint8_t *)(base + headers[i].p_vaddr);
        const uint8_t *end = note + headers[i].p_memsz;
        while ((size_t)(end - note) >= sizeof(Elf64_Nhdr)) {
            Elf64_Nhdr head;
            memcpy(&head, note, sizeof head);
            const uint8_t *name = note + sizeof head;
            const size_t name_size = ((size_t)head.n_namesz + 3) & ~(size_t)3;
            const size_t id_size = ((size_t)head.n_descsz + 3) & ~(size_t)3;
            if ((size_t)(end - name) < name_size + id_size) break;
            if (head.n_type == NT_GNU_BUILD_ID && head.n_namesz == 4 && !memcmp(name, "GNU", 4)) {
                if (head.n_descsz > size) return 0;
                memcpy(id, name + name_size, head.n_descsz);
                return head.n_descsz;
            }
            note = name + name_size + id_size;
        }
    }
    return 0;
}
