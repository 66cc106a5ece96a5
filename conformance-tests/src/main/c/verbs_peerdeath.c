/* SPDX-License-Identifier: Apache-2.0
 * verbs_peerdeath: the server process dies by SIGKILL in the middle; the client's outstanding send must fail with
 * IBV_WC_RETRY_EXC_ERR, what was queued behind it with WR_FLUSH_ERR, and the QP is in ERR. The server half forks nothing and
 * kills itself, when the client asks for it. */
#include "common.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BYTES 4096u

static bool poll_for(struct ibv_cq *cq, struct ibv_wc *wc, unsigned timeout_ms)
{
    uint64_t until = now_ms() + timeout_ms;
    do {
        int n = ibv_poll_cq(cq, 1, wc);
        if (n < 0)
            die("ibv_poll_cq answered %d", n);
        if (n == 1)
            return true;
    } while (now_ms() < until);
    return false;
}

int main(int argc, char **argv)
{
    const char *device_name = NULL;
    int gid_index = 0;
    int port = 18518;
    int c;
    while ((c = getopt(argc, argv, "d:g:p:")) != -1) {
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
        default:
            fprintf(stderr, "usage: verbs_peerdeath -d DEV -g GIDX [-p PORT] [HOST]\n");
            return 2;
        }
    }
    bool client = optind < argc;
    snprintf(judge_name, sizeof(judge_name), "verbs_peerdeath %s", client ? "client" : "server");
    static struct judge_device device;
    device_open(&device, device_name, gid_index, 1);
    int fd = client ? side_connect(argv[optind], port) : side_accept(NULL, port);
    struct ibv_pd *pd = ibv_alloc_pd(device.context);
    struct ibv_cq *cq = ibv_create_cq(device.context, 16, NULL, NULL, 0);
    uint8_t *memory = calloc(1, BYTES);
    struct ibv_mr *mr = pd && memory ? ibv_reg_mr(pd, memory, BYTES, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE) : NULL;
    if (!pd || !cq || !mr)
        die_errno(errno, "PD, CQ or MR");
    struct ibv_qp_init_attr init = {
        .send_cq = cq,
        .recv_cq = cq,
        .cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1,
    };
    struct ibv_qp *qp = ibv_create_qp(pd, &init);
    if (!qp)
        die_errno(errno, "ibv_create_qp");
    struct {
        struct rc_address address;
        uint64_t memory;
        uint64_t rkey;
    } mine = {rc_address_of(&device, qp, 0x777), (uintptr_t)memory, mr->rkey}, theirs;
    side_write(fd, &mine, sizeof(mine));
    side_read(fd, &theirs, sizeof(theirs));
    struct rc_options options = rc_default;
    options.timeout = 12;
    options.retry_cnt = 3;
    rc_connect(qp, &device, 0x777, &theirs.address, &options);
    side_meet(fd, 1);
    if (!client) {
        char byte;
        side_read(fd, &byte, 1);
        raise(SIGKILL);
    }
    struct ibv_sge sge = {.addr = (uintptr_t)memory, .length = BYTES, .lkey = mr->lkey};
    struct ibv_send_wr wr = {.wr_id = 1, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE};
    wr.wr.rdma.remote_addr = theirs.memory;
    wr.wr.rdma.rkey = (uint32_t)theirs.rkey;
    struct ibv_send_wr *bad = NULL;
    int rc = ibv_post_send(qp, &wr, &bad);
    if (rc)
        die_errno(rc, "ibv_post_send");
    struct ibv_wc wc;
    if (!poll_for(cq, &wc, 20000) || wc.status != IBV_WC_SUCCESS)
        die("the write before the death did not succeed");
    /* A receive that waits, and an end of the channel that says that the peer is dead. */
    struct ibv_recv_wr recv = {.wr_id = 50, .sg_list = &sge, .num_sge = 1};
    struct ibv_recv_wr *bad_recv = NULL;
    rc = ibv_post_recv(qp, &recv, &bad_recv);
    if (rc)
        die_errno(rc, "ibv_post_recv");
    char byte = 'k';
    side_write(fd, &byte, 1);
    if (side_try_read(fd, &byte, 1))
        die("the server still talks");
    uint64_t t0 = now_ms();
    for (uint64_t i = 2; i < 5; i++) {
        wr.wr_id = i;
        rc = ibv_post_send(qp, &wr, &bad);
        if (rc)
            die_errno(rc, "ibv_post_send after the death");
    }
    for (uint64_t i = 2; i < 5; i++) {
        enum ibv_wc_status expected = i == 2 ? IBV_WC_RETRY_EXC_ERR : IBV_WC_WR_FLUSH_ERR;
        do
            if (!poll_for(cq, &wc, 60000))
                die("no completion of send %llu within 60 s after the peer's death", (unsigned long long)i);
        while (wc.wr_id == 50 && wc.status == IBV_WC_WR_FLUSH_ERR);
        if (wc.wr_id != i || wc.status != expected)
            die("send %llu: %s for wr_id %llu, not %s", (unsigned long long)i, status_name(wc.status), (unsigned long long)wc.wr_id,
                status_name(expected));
        if (i == 2)
            printf("RETRY_EXC_ERR after %llu ms\n", (unsigned long long)(now_ms() - t0));
    }
    struct ibv_qp_attr attr;
    rc = ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
    if (rc || attr.qp_state != IBV_QPS_ERR)
        die("the QP is in %s", state_name(attr.qp_state));
    rc = ibv_destroy_qp(qp);
    if (!rc)
        rc = ibv_destroy_cq(cq);
    if (!rc)
        rc = ibv_dereg_mr(mr);
    if (!rc)
        rc = ibv_dealloc_pd(pd);
    if (rc)
        die_errno(rc, "destroying");
    device_close(&device);
    printf("ok: the peer's death failed the outstanding send, and only once\n");
    return 0;
}
