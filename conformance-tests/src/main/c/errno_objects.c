/* SPDX-License-Identifier: Apache-2.0
 * Making and destroying CQs, QPs, channels and PDs; EBUSY while something still hangs on them. */
#include "errno_judge.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

static void create_cq(struct judge_device *device, const char *name, int cqe, int vector, int floor)
{
    errno = 0;
    struct ibv_cq *cq = ibv_create_cq(device->context, cqe, NULL, NULL, vector);
    if (!cq) {
        report(name, "%s", errno_name(errno));
        return;
    }
    bool enough = cq->cqe >= floor;
    int rc = ibv_destroy_cq(cq);
    report(name, "0 cqe=%s destroy=%s", enough ? "enough" : "less", errno_name(rc));
}

static void cq_cases(struct judge_device *device)
{
    int max = device->attr.max_cqe;
    create_cq(device, "object.cq.1", 1, 0, 1);
    create_cq(device, "object.cq.100", 100, 0, 100);
    create_cq(device, "object.cq.max", max, 0, max);
    create_cq(device, "object.cq.over-max", max + 1, 0, 1);
    create_cq(device, "object.cq.0", 0, 0, 1);
    create_cq(device, "object.cq.negative", -1, 0, 1);
    create_cq(device, "object.cq.vector-last", 10, device->context->num_comp_vectors - 1, 10);
    create_cq(device, "object.cq.vector-past-end", 10, device->context->num_comp_vectors, 10);
    create_cq(device, "object.cq.vector-negative", 10, -1, 10);
    struct ibv_cq *cq = ibv_create_cq(device->context, 10, NULL, NULL, 0);
    if (!cq)
        die_errno(errno, "ibv_create_cq");
    static const struct {
        const char *name;
        int cqe;
    } sizes[] = {{"20", 20}, {"1", 1}, {"0", 0}, {"negative", -1}};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        int rc = ibv_resize_cq(cq, sizes[i].cqe);
        report(case_name("object.cq.resize-%s", sizes[i].name), "%s cqe=%s", errno_name(rc),
               rc ? "-" : cq->cqe >= sizes[i].cqe ? "enough" : "less");
    }
    report("object.cq.resize-over-max", "%s", errno_name(ibv_resize_cq(cq, max + 1)));
    report("object.cq.poll-empty", "%d", ibv_poll_cq(cq, 4, (struct ibv_wc[4]){0}));
    report("object.cq.notify", "%s", errno_name(ibv_req_notify_cq(cq, 0)));
    report("object.cq.destroy", "%s", errno_name(ibv_destroy_cq(cq)));
}

/* Completions survive a resize, in order; a CQ does not shrink below what it holds. */
static void resize_loaded_case(struct judge_device *device)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    struct ibv_sge sge = sge_of(&pair, 0, 0, 8);
    for (uint64_t i = 0; i < 6; i++) {
        struct ibv_send_wr wr = {
            .wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED};
        wr.wr.rdma.remote_addr = (uintptr_t)pair.memory[1];
        wr.wr.rdma.rkey = pair.mr[1]->rkey;
        struct ibv_send_wr *bad = NULL;
        int rc = ibv_post_send(pair.qp[0], &wr, &bad);
        if (rc)
            die_errno(rc, "ibv_post_send");
    }
    /* A send that the other side receives: its receive completion says that the six have been answered or soon will be. */
    int rc = post_receive(&pair, 1, 100, 0, 64);
    struct ibv_send_wr last = {.wr_id = 6, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED};
    struct ibv_send_wr *bad = NULL;
    if (!rc)
        rc = ibv_post_send(pair.qp[0], &last, &bad);
    if (rc)
        die_errno(rc, "post");
    struct ibv_wc wc;
    bool received = poll_one(pair.recv_cq[1], &wc, WAIT_MS);
    struct ibv_wc first;
    bool one = poll_one(pair.send_cq[0], &first, WAIT_MS);
    int larger = ibv_resize_cq(pair.send_cq[0], 200);
    report("object.cq.resize-loaded-larger", "%s received=%d first=%llu", errno_name(larger), received,
           one ? (unsigned long long)first.wr_id : 999);
    report("object.cq.resize-loaded-rest", "%s", poll_text(pair.send_cq[0], 6, WAIT_MS));
    pair_close(&pair);
}

static void create_qp(struct pair *pair, const char *name, const struct ibv_qp_init_attr *wanted)
{
    struct ibv_qp_init_attr init = *wanted;
    errno = 0;
    struct ibv_qp *qp = ibv_create_qp(pair->pd[0], &init);
    if (!qp) {
        report(name, "%s", errno_name(errno));
        return;
    }
    bool enough = init.cap.max_send_wr >= wanted->cap.max_send_wr && init.cap.max_recv_wr >= wanted->cap.max_recv_wr &&
                  init.cap.max_send_sge >= wanted->cap.max_send_sge && init.cap.max_recv_sge >= wanted->cap.max_recv_sge &&
                  init.cap.max_inline_data >= wanted->cap.max_inline_data;
    bool right = qp->pd == pair->pd[0] && qp->send_cq == wanted->send_cq && qp->recv_cq == wanted->recv_cq &&
                 qp->qp_type == wanted->qp_type && qp->state == IBV_QPS_RESET && qp->qp_num > 1 && qp->qp_num < 0x1000000;
    int rc = ibv_destroy_qp(qp);
    report(name, "0 caps=%s fields=%s destroy=%s", enough ? "enough" : "less", right ? "right" : "wrong", errno_name(rc));
}

static void qp_cases(struct judge_device *device)
{
    struct pair pair;
    pair_create(&pair, device);
    const struct ibv_qp_init_attr good = {
        .send_cq = pair.send_cq[0],
        .recv_cq = pair.recv_cq[0],
        .cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
    };
    struct ibv_qp_init_attr init = good;
    create_qp(&pair, "object.qp.good", &init);
    init = good;
    init.recv_cq = init.send_cq;
    create_qp(&pair, "object.qp.one-cq", &init);
    init = good;
    init.cap.max_send_wr = (uint32_t)device->attr.max_qp_wr + 1;
    create_qp(&pair, "object.qp.send_wr-over", &init);
    init = good;
    init.cap.max_recv_wr = (uint32_t)device->attr.max_qp_wr + 1;
    create_qp(&pair, "object.qp.recv_wr-over", &init);
    init = good;
    init.cap.max_send_sge = (uint32_t)device->attr.max_sge;
    init.cap.max_recv_sge = (uint32_t)device->attr.max_sge;
    create_qp(&pair, "object.qp.sge-max", &init);
    init = good;
    init.cap.max_send_sge = (uint32_t)device->attr.max_sge + 1;
    create_qp(&pair, "object.qp.send_sge-over", &init);
    init = good;
    init.cap.max_recv_sge = (uint32_t)device->attr.max_sge + 1;
    create_qp(&pair, "object.qp.recv_sge-over", &init);
    init = good;
    init.cap.max_inline_data = 220;
    create_qp(&pair, "object.qp.inline-220", &init);
    init = good;
    init.cap.max_inline_data = 1 << 20;
    create_qp(&pair, "object.qp.inline-over", &init);
    init = good;
    init.cap.max_send_wr = 0;
    create_qp(&pair, "object.qp.send_wr-0", &init);
    init = good;
    init.cap.max_recv_wr = 0;
    init.cap.max_recv_sge = 0;
    create_qp(&pair, "object.qp.recv_wr-0", &init);
    init = good;
    init.qp_type = (enum ibv_qp_type)99;
    create_qp(&pair, "object.qp.type-99", &init);
    pair_close(&pair);
}

static void busy_cases(struct judge_device *device)
{
    struct ibv_comp_channel *channel = ibv_create_comp_channel(device->context);
    if (!channel)
        die_errno(errno, "ibv_create_comp_channel");
    struct ibv_cq *cq = ibv_create_cq(device->context, 10, &channel, channel, 0);
    if (!cq)
        die_errno(errno, "ibv_create_cq");
    report("object.busy.channel-with-cq", "%s", errno_name(ibv_destroy_comp_channel(channel)));
    report("object.busy.cq-of-channel", "%s", errno_name(ibv_destroy_cq(cq)));
    report("object.busy.channel-alone", "%s", errno_name(ibv_destroy_comp_channel(channel)));

    struct pair pair;
    pair_create(&pair, device);
    report("object.busy.pd-with-mr-and-qp", "%s", errno_name(ibv_dealloc_pd(pair.pd[0])));
    report("object.busy.send-cq-with-qp", "%s", errno_name(ibv_destroy_cq(pair.send_cq[0])));
    report("object.busy.recv-cq-with-qp", "%s", errno_name(ibv_destroy_cq(pair.recv_cq[0])));
    int rc = ibv_destroy_qp(pair.qp[0]);
    pair.qp[0] = NULL;
    if (rc)
        die_errno(rc, "ibv_destroy_qp");
    report("object.busy.pd-with-mr", "%s", errno_name(ibv_dealloc_pd(pair.pd[0])));
    pair_close(&pair);
}

void object_cases(struct judge_device *device)
{
    cq_cases(device);
    resize_loaded_case(device);
    qp_cases(device);
    busy_cases(device);
}
