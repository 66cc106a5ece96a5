/* SPDX-License-Identifier: Apache-2.0
 * verbs_qps: many RC QPs between two processes; connects all, sends one message on each in both directions, tells the times. */
#include "common.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CQ_DEPTH 4096
#define BYTES 64

struct state {
    struct judge_device device;
    struct ibv_pd *pd;
    struct ibv_cq *cq;
    struct ibv_qp **qps;
    struct ibv_mr *mr;
    uint8_t *memory; /* per QP BYTES to send and BYTES to receive */
    uint32_t count;
    uint64_t seed;
    int side;
};

static uint64_t resident_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long long pages = 0;
    if (!file || fscanf(file, "%*u %llu", &pages) != 1)
        die("/proc/self/statm");
    fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

static void create(struct state *s)
{
    s->pd = ibv_alloc_pd(s->device.context);
    s->cq = s->pd ? ibv_create_cq(s->device.context, CQ_DEPTH, NULL, NULL, 0) : NULL;
    s->qps = calloc(s->count, sizeof(struct ibv_qp *));
    s->memory = calloc(s->count, 2 * BYTES);
    if (!s->cq || !s->qps || !s->memory)
        die_errno(errno, "PD, CQ or memory");
    s->mr = ibv_reg_mr(s->pd, s->memory, (size_t)s->count * 2 * BYTES, IBV_ACCESS_LOCAL_WRITE);
    if (!s->mr)
        die_errno(errno, "ibv_reg_mr");
    for (uint32_t i = 0; i < s->count; i++) {
        struct ibv_qp_init_attr init = {
            .send_cq = s->cq,
            .recv_cq = s->cq,
            .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1},
            .qp_type = IBV_QPT_RC,
            .sq_sig_all = 1,
        };
        s->qps[i] = ibv_create_qp(s->pd, &init);
        if (!s->qps[i])
            die_errno(errno, "ibv_create_qp number %u", i);
    }
}

static uint64_t key_of(const struct state *s, uint32_t qp, int side)
{
    return mix_of(s->seed, qp, (uint64_t)side);
}

static void post(struct state *s, uint32_t i, bool receive)
{
    uint8_t *at = s->memory + (size_t)i * 2 * BYTES + (receive ? BYTES : 0);
    struct ibv_sge sge = {.addr = (uintptr_t)at, .length = BYTES, .lkey = s->mr->lkey};
    int rc;
    if (receive) {
        struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1};
        struct ibv_recv_wr *bad = NULL;
        rc = ibv_post_recv(s->qps[i], &wr, &bad);
    } else {
        pattern_fill(at, BYTES, key_of(s, i, s->side), 0);
        struct ibv_send_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND};
        struct ibv_send_wr *bad = NULL;
        rc = ibv_post_send(s->qps[i], &wr, &bad);
    }
    if (rc)
        die_errno(rc, "posting on QP number %u", i);
}

static void exchange(struct state *s, unsigned timeout_s)
{
    uint8_t *seen = calloc(s->count, 1);
    uint32_t sent = 0;
    uint32_t done = 0;
    uint64_t since = now_ms();
    if (!seen)
        die("out of memory");
    while (done < 2 * s->count) {
        /* The CQ takes two completions a QP, so no more than half of it is outstanding. */
        while (sent < s->count && sent * 2 < done + CQ_DEPTH / 2)
            post(s, sent++, false);
        struct ibv_wc wc[32];
        int n = ibv_poll_cq(s->cq, 32, wc);
        if (n < 0)
            die("ibv_poll_cq answered %d", n);
        for (int k = 0; k < n; k++) {
            uint32_t i = (uint32_t)wc[k].wr_id;
            if (wc[k].status != IBV_WC_SUCCESS || i >= s->count || wc[k].qp_num != s->qps[i]->qp_num)
                die("QP number %u: %s", i, status_name(wc[k].status));
            uint8_t bit = wc[k].opcode & IBV_WC_RECV ? 2 : 1;
            if (seen[i] & bit)
                die("QP number %u: a second completion", i);
            seen[i] |= bit;
            if (bit == 2) {
                uint8_t expected[BYTES];
                pattern_fill(expected, BYTES, key_of(s, i, !s->side), 0);
                if (wc[k].byte_len != BYTES || memcmp(expected, s->memory + (size_t)i * 2 * BYTES + BYTES, BYTES) != 0)
                    die("QP number %u: wrong bytes arrived", i);
            }
            done++;
            since = now_ms();
        }
        if (now_ms() - since > timeout_s * 1000ull)
            die("%u of %u completions, then none for %u s", done, 2 * s->count, timeout_s);
    }
    free(seen);
}

int main(int argc, char **argv)
{
    static struct state s = {.count = 1000};
    const char *device = NULL;
    int gid_index = 0;
    int port = 18516;
    int c;
    while ((c = getopt(argc, argv, "d:g:p:n:")) != -1) {
        switch (c) {
        case 'd':
            device = optarg;
            break;
        case 'g':
            gid_index = (int)parse_number("-g", optarg);
            break;
        case 'p':
            port = (int)parse_number("-p", optarg);
            break;
        case 'n':
            s.count = (uint32_t)parse_number("-n", optarg);
            break;
        default:
            fprintf(stderr, "usage: verbs_qps -d DEV -g GIDX [-p PORT] [-n QPS] [HOST]\n");
            return 2;
        }
    }
    s.side = optind < argc ? 0 : 1;
    snprintf(judge_name, sizeof(judge_name), "verbs_qps %s", s.side ? "server" : "client");
    device_open(&s.device, device, gid_index, 1);
    int fd = s.side ? side_accept(NULL, port) : side_connect(argv[optind], port);
    uint64_t hello[2] = {s.count, seed_from_clock()};
    if (s.side == 0)
        side_write(fd, hello, sizeof(hello));
    else
        side_read(fd, hello, sizeof(hello));
    s.count = (uint32_t)hello[0];
    s.seed = hello[1];
    uint64_t base_kb = resident_kb();
    uint64_t t0 = now_ms();
    create(&s);
    uint64_t t1 = now_ms();
    struct rc_address *mine = calloc(s.count, sizeof(*mine));
    struct rc_address *theirs = calloc(s.count, sizeof(*theirs));
    if (!mine || !theirs)
        die("out of memory");
    for (uint32_t i = 0; i < s.count; i++)
        mine[i] = rc_address_of(&s.device, s.qps[i], (uint32_t)mix_of(s.seed, i, 7u + (unsigned)s.side) & 0xffffff);
    /* In halves, so that neither side fills the channel while the other does not read. */
    if (s.side == 0)
        side_write(fd, mine, s.count * sizeof(*mine));
    side_read(fd, theirs, s.count * sizeof(*theirs));
    if (s.side == 1)
        side_write(fd, mine, s.count * sizeof(*mine));
    uint64_t t2 = now_ms();
    for (uint32_t i = 0; i < s.count; i++) {
        rc_connect(s.qps[i], &s.device, mine[i].psn, &theirs[i], &rc_default);
        post(&s, i, true);
    }
    uint64_t t3 = now_ms();
    uint64_t idle_kb = resident_kb();
    side_meet(fd, 1);
    uint64_t t4 = now_ms();
    exchange(&s, 60);
    uint64_t t5 = now_ms();
    side_meet(fd, 2);
    for (uint32_t i = 0; i < s.count; i++) {
        int rc = ibv_destroy_qp(s.qps[i]);
        if (rc)
            die_errno(rc, "ibv_destroy_qp number %u", i);
    }
    int rc = ibv_destroy_cq(s.cq);
    if (!rc)
        rc = ibv_dereg_mr(s.mr);
    if (!rc)
        rc = ibv_dealloc_pd(s.pd);
    if (rc)
        die_errno(rc, "destroying");
    device_close(&s.device);
    printf("ok seed %llu: %u QPs: created in %llu ms, connected in %llu ms, one message each way on all in %llu ms\n",
           (unsigned long long)s.seed, s.count, (unsigned long long)(t1 - t0), (unsigned long long)(t3 - t2),
           (unsigned long long)(t5 - t4));
    printf("ok memory: %llu KB before the first object, %llu KB with all QPs idle, %.1f KB per QP\n", (unsigned long long)base_kb,
           (unsigned long long)idle_kb, (double)(idle_kb - base_kb) / s.count);
    return 0;
}
