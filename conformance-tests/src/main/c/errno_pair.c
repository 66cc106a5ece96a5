/* SPDX-License-Identifier: Apache-2.0
 * Two connected QPs in one process, and small waits. */
#include "errno_judge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pair_create(struct pair *pair, struct judge_device *device)
{
    memset(pair, 0, sizeof(*pair));
    pair->device = device;
    for (int side = 0; side < 2; side++) {
        pair->pd[side] = ibv_alloc_pd(device->context);
        if (!pair->pd[side])
            die_errno(errno, "ibv_alloc_pd");
        pair->send_cq[side] = ibv_create_cq(device->context, 64, NULL, NULL, 0);
        pair->recv_cq[side] = ibv_create_cq(device->context, 64, NULL, NULL, 0);
        if (!pair->send_cq[side] || !pair->recv_cq[side])
            die_errno(errno, "ibv_create_cq");
        if (posix_memalign((void **)&pair->memory[side], 4096, PAIR_BYTES))
            die("out of memory");
        pattern_fill(pair->memory[side], PAIR_BYTES, (uint64_t)side, 0);
        pair->mr[side] = ibv_reg_mr(pair->pd[side], pair->memory[side], PAIR_BYTES,
                                    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
                                        IBV_ACCESS_REMOTE_ATOMIC);
        if (!pair->mr[side])
            die_errno(errno, "ibv_reg_mr");
        struct ibv_qp_init_attr init = {
            .qp_context = pair,
            .send_cq = pair->send_cq[side],
            .recv_cq = pair->recv_cq[side],
            .cap =
                {
                    .max_send_wr = PAIR_DEPTH,
                    .max_recv_wr = PAIR_DEPTH,
                    .max_send_sge = 4,
                    .max_recv_sge = 4,
                    .max_inline_data = 64,
                },
            .qp_type = IBV_QPT_RC,
        };
        pair->qp[side] = ibv_create_qp(pair->pd[side], &init);
        if (!pair->qp[side])
            die_errno(errno, "ibv_create_qp");
    }
}

void pair_connect(struct pair *pair, const struct rc_options *options)
{
    pair->options = options ? *options : rc_default;
    for (int side = 0; side < 2; side++) {
        struct rc_address peer = rc_address_of(pair->device, pair->qp[!side], PAIR_PSN(!side));
        rc_connect(pair->qp[side], pair->device, PAIR_PSN(side), &peer, &pair->options);
    }
}

void pair_open(struct pair *pair, struct judge_device *device, const struct rc_options *options)
{
    pair_create(pair, device);
    pair_connect(pair, options);
}

void pair_close(struct pair *pair)
{
    for (int side = 0; side < 2; side++) {
        int rc = pair->qp[side] ? ibv_destroy_qp(pair->qp[side]) : 0;
        if (rc)
            die_errno(rc, "ibv_destroy_qp");
    }
    for (int side = 0; side < 2; side++) {
        int rc = pair->mr[side] ? ibv_dereg_mr(pair->mr[side]) : 0;
        if (rc)
            die_errno(rc, "ibv_dereg_mr");
        rc = ibv_destroy_cq(pair->send_cq[side]);
        if (!rc)
            rc = ibv_destroy_cq(pair->recv_cq[side]);
        if (rc)
            die_errno(rc, "ibv_destroy_cq");
        rc = ibv_dealloc_pd(pair->pd[side]);
        if (rc)
            die_errno(rc, "ibv_dealloc_pd");
        free(pair->memory[side]);
    }
}

void pair_walk(struct pair *pair, enum ibv_qp_state state)
{
    struct rc_address peer = rc_address_of(pair->device, pair->qp[1], PAIR_PSN(1));
    struct ibv_qp *qp = pair->qp[0];
    struct ibv_qp_attr attr = {.qp_state = state};
    if (state == IBV_QPS_RESET)
        return;
    int rc = rc_init(qp, pair->device, &rc_default);
    if (!rc && state >= IBV_QPS_RTR)
        rc = rc_rtr(qp, pair->device, &peer, &rc_default);
    if (!rc && state >= IBV_QPS_RTS)
        rc = rc_rts(qp, PAIR_PSN(0), &rc_default);
    if (!rc && state > IBV_QPS_RTS)
        rc = ibv_modify_qp(qp, &attr, IBV_QP_STATE);
    if (rc)
        die_errno(rc, "walk to %s", state_name(state));
}

enum ibv_qp_state pair_state(struct pair *pair, int side)
{
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    int rc = ibv_query_qp(pair->qp[side], &attr, IBV_QP_STATE, &init);
    if (rc)
        die_errno(rc, "ibv_query_qp");
    return attr.qp_state;
}

bool poll_one(struct ibv_cq *cq, struct ibv_wc *wc, unsigned timeout_ms)
{
    uint64_t until = now_ms() + timeout_ms;
    for (;;) {
        int n = ibv_poll_cq(cq, 1, wc);
        if (n < 0)
            die("ibv_poll_cq answered %d", n);
        if (n == 1)
            return true;
        if (now_ms() > until)
            return false;
    }
}

const char *poll_status(struct ibv_cq *cq, unsigned timeout_ms)
{
    struct ibv_wc wc;
    return poll_one(cq, &wc, timeout_ms) ? status_name(wc.status) : "NONE";
}

bool wait_state(struct ibv_qp *qp, enum ibv_qp_state state, unsigned timeout_ms)
{
    uint64_t until = now_ms() + timeout_ms;
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    do {
        int rc = ibv_query_qp(qp, &attr, IBV_QP_STATE, &init);
        if (rc)
            die_errno(rc, "ibv_query_qp");
        if (attr.qp_state == state)
            return true;
    } while (now_ms() < until);
    return false;
}

const char *poll_text(struct ibv_cq *cq, unsigned max, unsigned timeout_ms)
{
    static char buffers[4][400];
    static unsigned next;
    char *text = buffers[next++ % 4];
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < max && used < 360; i++) {
        struct ibv_wc wc;
        if (!poll_one(cq, &wc, timeout_ms)) {
            used += (size_t)snprintf(text + used, 400 - used, "%sNONE", i ? " " : "");
            break;
        }
        used += (size_t)snprintf(text + used, 400 - used, "%s%llu:%s", i ? " " : "", (unsigned long long)wc.wr_id,
                                 status_name(wc.status));
    }
    return text;
}

struct ibv_sge sge_of(const struct pair *pair, int side, uint32_t offset, uint32_t length)
{
    return (struct ibv_sge){
        .addr = (uintptr_t)pair->memory[side] + offset,
        .length = length,
        .lkey = pair->mr[side]->lkey,
    };
}

int post_receive(struct pair *pair, int side, uint64_t wr_id, uint32_t offset, uint32_t length)
{
    struct ibv_sge sge = sge_of(pair, side, offset, length);
    struct ibv_recv_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1};
    struct ibv_recv_wr *bad = NULL;
    return ibv_post_recv(pair->qp[side], &wr, &bad);
}
