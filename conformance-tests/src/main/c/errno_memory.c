/* SPDX-License-Identifier: Apache-2.0
 * ibv_reg_mr and ibv_dereg_mr. */
#include "errno_judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void attempt(struct ibv_pd *pd, const char *name, void *address, size_t length, int access)
{
    errno = 0;
    /* Called with a variable access, so that the macro chooses as a compiled program would. */
    struct ibv_mr *mr = ibv_reg_mr(pd, address, length, access);
    if (!mr) {
        report(name, "%s", errno_name(errno));
        return;
    }
    bool right = mr->addr == address && mr->length == length && mr->pd == pd && mr->context == pd->context;
    int rc = ibv_dereg_mr(mr);
    report(name, "0 fields=%s dereg=%s", right ? "right" : "wrong", errno_name(rc));
}

static void access_cases(struct ibv_pd *pd, void *memory)
{
    static const struct {
        int bit;
        const char *name;
    } bits[] = {{IBV_ACCESS_LOCAL_WRITE, "LW"},   {IBV_ACCESS_REMOTE_WRITE, "RW"}, {IBV_ACCESS_REMOTE_READ, "RR"},
                {IBV_ACCESS_REMOTE_ATOMIC, "RA"}, {IBV_ACCESS_MW_BIND, "MW"}};
    for (int set = 0; set < 1 << COUNT_OF(bits); set++) {
        char name[64] = "mr.access";
        int access = 0;
        for (size_t b = 0; b < COUNT_OF(bits); b++)
            if (set & 1 << b) {
                access |= bits[b].bit;
                strcat(name, ".");
                strcat(name, bits[b].name);
            }
        if (set == 0)
            strcat(name, ".none");
        attempt(pd, name, memory, 4096, access);
    }
    attempt(pd, "mr.access.relaxed-ordering", memory, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_RELAXED_ORDERING);
    attempt(pd, "mr.access.unknown-bit-19", memory, 4096, IBV_ACCESS_LOCAL_WRITE | 1 << 19);
    attempt(pd, "mr.access.unknown-optional-bit-29", memory, 4096, IBV_ACCESS_LOCAL_WRITE | 1 << 29);
}

void memory_cases(struct judge_device *device)
{
    struct ibv_pd *pd = ibv_alloc_pd(device->context);
    if (!pd)
        die_errno(errno, "ibv_alloc_pd");
    int rw = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;
    uint8_t *memory = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        die_errno(errno, "mmap");
    memset(memory, 1, 65536);
    access_cases(pd, memory);
    attempt(pd, "mr.length-1", memory + 4095, 1, rw);
    attempt(pd, "mr.length-0", memory, 0, rw);
    attempt(pd, "mr.null-address-length-0", NULL, 0, rw);
    attempt(pd, "mr.null-address", NULL, 4096, rw);
    attempt(pd, "mr.length-wraps", memory, SIZE_MAX - 100, rw);
    attempt(pd, "mr.length-huge", memory, (size_t)1 << 60, rw);

    uint8_t *hole = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (hole == MAP_FAILED || munmap(hole + 4096, 4096))
        die_errno(errno, "mmap with a hole");
    attempt(pd, "mr.unmapped", hole + 4096, 4096, rw);
    attempt(pd, "mr.hole-in-the-middle", hole, 3 * 4096, rw);

    uint8_t *read_only = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (read_only == MAP_FAILED)
        die_errno(errno, "mmap read-only");
    attempt(pd, "mr.read-only-page-local-write", read_only, 4096, rw);
    attempt(pd, "mr.read-only-page-access-0", read_only, 4096, 0);
    attempt(pd, "mr.read-only-page-remote-read", read_only, 4096, IBV_ACCESS_REMOTE_READ);

    struct ibv_mr *first = ibv_reg_mr(pd, memory, 8192, rw);
    struct ibv_mr *second = ibv_reg_mr(pd, memory + 100, 8192, IBV_ACCESS_LOCAL_WRITE);
    struct ibv_mr *third = ibv_reg_mr(pd, memory, 8192, rw);
    report("mr.overlapping", "%s keys=%s", first && second && third ? "0" : errno_name(errno),
           first && second && third && first->lkey != second->lkey && first->lkey != third->lkey && first->rkey != third->rkey
               ? "distinct"
               : "same");
    uint32_t old_rkey = first ? first->rkey : 0;
    struct ibv_mr *all[] = {first, second, third};
    for (size_t i = 0; i < 3; i++) {
        int rc = all[i] ? ibv_dereg_mr(all[i]) : 0;
        if (rc)
            die_errno(rc, "ibv_dereg_mr");
    }
    struct ibv_mr *again = ibv_reg_mr(pd, memory, 8192, rw);
    report("mr.key-of-the-next-registration", "%s", again && again->rkey != old_rkey ? "new" : "reused");
    if (again)
        ibv_dereg_mr(again);

    struct ibv_mr *iova = ibv_reg_mr_iova(pd, memory, 4096, 0x10000, rw);
    report("mr.iova", "%s addr=%s", iova ? "0" : errno_name(errno), iova && iova->addr == memory ? "memory" : "other");
    if (iova)
        ibv_dereg_mr(iova);

    munmap(memory, 65536);
    munmap(hole, 4096);
    munmap(hole + 8192, 4096);
    munmap(read_only, 4096);
    int rc = ibv_dealloc_pd(pd);
    if (rc)
        die_errno(rc, "ibv_dealloc_pd");
}
