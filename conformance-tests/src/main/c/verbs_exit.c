/* SPDX-License-Identifier: Apache-2.0
 * verbs_exit: a client that leaves by exit() right after its last completion, without destroying anything and without a word.
 * The server must receive everything and never see an error; its own sends to the client were answered before. */
#include "common.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH 64u

int main(int argc, char **argv)
{
    const char *device_name = NULL;
    int gid_index = 0;
    int port = 18517;
    uint64_t hello[3] = {seed_from_clock(), 50, 3000};
    int c;
    while ((c = getopt(argc, argv, "d:g:p:n:s:")) != -1) {
        switch (c) {
        case 'd':
            device_name = optarg;
            break;
        case 'g':
            gid_index = (int)parse_number("-g", optarg);
            break;
        case 'p':
            port = (int)parse_number("-p", optarg);
            break;
        case 'n':
            hello[1] = parse_number("-n", optarg);
            break;
        case 's':
            hello[2] = parse_number("-s", optarg);
            break;
        default:
            fprintf(stderr, "usage: verbs_exit -d DEV -g GIDX [-p PORT] [-n MESSAGES] [-s BYTES] [HOST]\n");
            return 2;
        }
    }
    bool client = optind < argc;
    snprintf(judge_name, sizeof(judge_name), "verbs_exit %s", client ? "client" : "server");
    static struct judge_device device;
    device_open(&device, device_name, gid_index, 1);
    int fd = client ? side_connect(argv[optind], port) : side_accept(NULL, port);
    if (client)
        side_write(fd, hello, sizeof(hello));
    else
        side_read(fd, hello, sizeof(hello));
    uint64_t seed = hello[0];
    uint64_t messages = hello[1];
    size_t bytes = hello[2];
    struct ibv_pd *pd = ibv_alloc_pd(device.context);
    struct ibv_cq *cq = ibv_create_cq(device.context, 2 * (int)DEPTH, NULL, NULL, 0);
    uint8_t *memory = calloc(DEPTH, bytes);
    uint8_t *expected = malloc(bytes + 1);
    struct ibv_mr *mr = pd && memory ? ibv_reg_mr(pd, memory, DEPTH * bytes, IBV_ACCESS_LOCAL_WRITE) : NULL;
    if (!pd || !cq || !mr || !expected)
        die_errno(errno, "PD, CQ or MR");
    struct ibv_qp_init_attr init = {
        .send_cq = cq,
        .recv_cq = cq,
        .cap = {.max_send_wr = DEPTH, .max_recv_wr = DEPTH, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1,
    };
    struct ibv_qp *qp = ibv_create_qp(pd, &init);
    if (!qp)
        die_errno(errno, "ibv_create_qp");
    struct rc_address mine = rc_address_of(&device, qp, (uint32_t)seed & 0xffffff);
    struct rc_address theirs;
    side_write(fd, &mine, sizeof(mine));
    side_read(fd, &theirs, sizeof(theirs));
    rc_connect(qp, &device, mine.psn, &theirs, &rc_default);

    uint64_t posted = 0;
    uint64_t done = 0;
    uint64_t since = now_ms();
    bool met = false;
    while (done < messages) {
        while (posted < messages && posted < done + DEPTH) {
            struct ibv_sge sge = {.addr = (uintptr_t)memory + posted % DEPTH * bytes, .length = (uint32_t)bytes, .lkey = mr->lkey};
            int rc;
            if (client) {
                if (!met)
                    break;
                pattern_fill(memory + posted % DEPTH * bytes, bytes, mix_of(seed, posted, 1), 0);
                struct ibv_send_wr wr = {.wr_id = posted, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND};
                struct ibv_send_wr *bad = NULL;
                rc = ibv_post_send(qp, &wr, &bad);
            } else {
                struct ibv_recv_wr wr = {.wr_id = posted, .sg_list = &sge, .num_sge = 1};
                struct ibv_recv_wr *bad = NULL;
                rc = ibv_post_recv(qp, &wr, &bad);
            }
            if (rc)
                die_errno(rc, "seed %llu: posting message %llu", (unsigned long long)seed, (unsigned long long)posted);
            posted++;
        }
        if (!met) {
            side_meet(fd, 1);
            met = true;
            continue;
        }
        struct ibv_wc wc;
        int n = ibv_poll_cq(cq, 1, &wc);
        if (n < 0)
            die("ibv_poll_cq answered %d", n);
        if (n == 1) {
            if (wc.status != IBV_WC_SUCCESS || wc.wr_id != done)
                die("seed %llu: message %llu: %s, wr_id %llu", (unsigned long long)seed, (unsigned long long)done,
                    status_name(wc.status), (unsigned long long)wc.wr_id);
            if (!client) {
                pattern_fill(expected, bytes, mix_of(seed, done, 1), 0);
                if (wc.byte_len != bytes || memcmp(expected, memory + done % DEPTH * bytes, bytes) != 0)
                    die("seed %llu: message %llu: wrong bytes", (unsigned long long)seed, (unsigned long long)done);
            }
            done++;
            since = now_ms();
        } else if (now_ms() - since > 60000) {
            die("seed %llu: %llu of %llu messages, then nothing for 60 s", (unsigned long long)seed, (unsigned long long)done,
                (unsigned long long)messages);
        }
    }
    if (client)
        exit(0);
    /* Nothing else may happen to this side now: no error completion, while the client is going away. */
    char byte;
    if (side_try_read(fd, &byte, 1))
        die("the client still talks");
    struct ibv_wc wc;
    if (ibv_poll_cq(cq, 1, &wc) != 0)
        die("seed %llu: a completion after the last: %s", (unsigned long long)seed, status_name(wc.status));
    printf("ok seed %llu: %llu messages of %zu bytes, then the client was gone\n", (unsigned long long)seed,
           (unsigned long long)messages, bytes);
    return 0;
}
