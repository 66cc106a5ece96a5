/* SPDX-License-Identifier: Apache-2.0
 * Completion channels (ibv_req_notify_cq(3), ibv_get_cq_event(3)) and CQ overrun. */
#include "errno_judge.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

/* A pair whose receive CQ of side 1 reports to a channel; the connected QPs are made anew for that. */
struct channel_pair {
    struct pair pair;
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct ibv_qp *qp;
    struct ibv_qp *plain;
};

static void must(int rc, const char *what)
{
    if (rc)
        die_errno(rc, "%s", what);
}

static void open_channel(struct channel_pair *c, struct judge_device *device)
{
    pair_create(&c->pair, device);
    c->channel = ibv_create_comp_channel(device->context);
    c->cq = c->channel ? ibv_create_cq(device->context, 32, c, c->channel, 0) : NULL;
    if (!c->cq)
        die_errno(errno, "channel and CQ");
    struct ibv_qp_init_attr init = {
        .send_cq = c->pair.send_cq[1],
        .recv_cq = c->cq,
        .cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
    };
    c->qp = ibv_create_qp(c->pair.pd[1], &init);
    if (!c->qp)
        die_errno(errno, "ibv_create_qp");
    c->plain = c->pair.qp[1];
    c->pair.qp[1] = c->qp;
    pair_connect(&c->pair, NULL);
    for (uint64_t i = 0; i < 6; i++)
        must(post_receive(&c->pair, 1, i, 0, 64), "ibv_post_recv");
}

static void close_channel(struct channel_pair *c)
{
    must(ibv_destroy_qp(c->qp), "ibv_destroy_qp");
    c->pair.qp[1] = c->plain;
    must(ibv_destroy_cq(c->cq), "ibv_destroy_cq");
    must(ibv_destroy_comp_channel(c->channel), "ibv_destroy_comp_channel");
    pair_close(&c->pair);
}

static void send_one(struct channel_pair *c, unsigned flags)
{
    struct ibv_sge sge = sge_of(&c->pair, 0, 0, 8);
    struct ibv_send_wr wr = {
        .wr_id = 9, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = IBV_SEND_SIGNALED | flags};
    struct ibv_send_wr *bad = NULL;
    must(ibv_post_send(c->pair.qp[0], &wr, &bad), "ibv_post_send");
    struct ibv_wc wc;
    if (!poll_one(c->pair.send_cq[0], &wc, WAIT_MS) || wc.status != IBV_WC_SUCCESS)
        die("the send did not succeed");
}

static const char *event(struct channel_pair *c, unsigned timeout_ms)
{
    struct pollfd fd = {.fd = c->channel->fd, .events = POLLIN};
    if (poll(&fd, 1, (int)timeout_ms) != 1)
        return "none";
    struct ibv_cq *cq = NULL;
    void *context = NULL;
    if (ibv_get_cq_event(c->channel, &cq, &context))
        return "failed";
    ibv_ack_cq_events(cq, 1);
    return cq == c->cq && context == c ? "event" : "wrong";
}

static void any_case(struct judge_device *device)
{
    struct channel_pair c;
    open_channel(&c, device);
    must(ibv_req_notify_cq(c.cq, 0), "ibv_req_notify_cq");
    must(ibv_req_notify_cq(c.cq, 0), "ibv_req_notify_cq");
    send_one(&c, 0);
    const char *first = event(&c, WAIT_MS);
    send_one(&c, 0);
    report("event.any", "armed=%s then=%s completions=%s", first, event(&c, QUIET_MS), poll_text(c.cq, 2, WAIT_MS));
    close_channel(&c);
}

static void solicited_case(struct judge_device *device)
{
    struct channel_pair c;
    open_channel(&c, device);
    must(ibv_req_notify_cq(c.cq, 1), "ibv_req_notify_cq");
    send_one(&c, 0);
    const char *plain = event(&c, QUIET_MS);
    send_one(&c, IBV_SEND_SOLICITED);
    report("event.solicited", "plain=%s solicited=%s", plain, event(&c, WAIT_MS));
    /* Solicited after any does not lower the arming; any after solicited raises it. */
    must(ibv_req_notify_cq(c.cq, 0), "ibv_req_notify_cq");
    must(ibv_req_notify_cq(c.cq, 1), "ibv_req_notify_cq");
    send_one(&c, 0);
    report("event.any-then-solicited", "plain=%s", event(&c, WAIT_MS));
    must(ibv_req_notify_cq(c.cq, 1), "ibv_req_notify_cq");
    must(ibv_req_notify_cq(c.cq, 0), "ibv_req_notify_cq");
    send_one(&c, 0);
    report("event.solicited-then-any", "plain=%s", event(&c, WAIT_MS));
    close_channel(&c);
}

/* A completion in error counts as solicited. */
static void error_case(struct judge_device *device)
{
    struct channel_pair c;
    open_channel(&c, device);
    must(ibv_req_notify_cq(c.cq, 1), "ibv_req_notify_cq");
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_ERR};
    must(ibv_modify_qp(c.qp, &attr, IBV_QP_STATE), "ERR");
    report("event.solicited-flush", "%s", event(&c, WAIT_MS));
    close_channel(&c);
}

/* What came before the arming gives no event: hence the second poll in every program. */
static void late_arming_case(struct judge_device *device)
{
    struct channel_pair c;
    open_channel(&c, device);
    send_one(&c, IBV_SEND_SOLICITED);
    struct ibv_wc wc;
    bool there = poll_one(c.cq, &wc, WAIT_MS);
    must(ibv_req_notify_cq(c.cq, 0), "ibv_req_notify_cq");
    report("event.armed-after-the-completion", "polled=%d %s", there, event(&c, QUIET_MS));
    int flags = fcntl(c.channel->fd, F_GETFL);
    fcntl(c.channel->fd, F_SETFL, flags | O_NONBLOCK);
    struct ibv_cq *cq;
    void *context;
    errno = 0;
    int rc = ibv_get_cq_event(c.channel, &cq, &context);
    report("event.nonblocking-and-empty", "%d %s", rc, errno_name(errno));
    close_channel(&c);
}

/* More completions than a CQ holds: the event CQ_ERR; what fitted can still be polled. */
static void overrun_case(struct judge_device *device)
{
    struct pair pair;
    pair_create(&pair, device);
    struct ibv_cq *small = ibv_create_cq(device->context, 3, NULL, NULL, 0);
    struct ibv_qp_init_attr init = {
        .send_cq = small,
        .recv_cq = pair.recv_cq[0],
        .cap = {.max_send_wr = 1024, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1},
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1,
    };
    struct ibv_qp *plain = pair.qp[0];
    pair.qp[0] = small ? ibv_create_qp(pair.pd[0], &init) : NULL;
    if (!pair.qp[0])
        die_errno(errno, "CQ or QP");
    pair_connect(&pair, NULL);
    int posts = small->cqe + 4;
    for (int i = 0; i < posts; i++) {
        struct ibv_sge sge = sge_of(&pair, 0, 0, 8);
        struct ibv_send_wr wr = {.wr_id = (uint64_t)i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE};
        wr.wr.rdma.remote_addr = (uintptr_t)pair.memory[1];
        wr.wr.rdma.rkey = pair.mr[1]->rkey;
        struct ibv_send_wr *bad = NULL;
        must(ibv_post_send(pair.qp[0], &wr, &bad), "ibv_post_send");
    }
    struct pollfd fd = {.fd = device->context->async_fd, .events = POLLIN};
    struct ibv_async_event async;
    const char *what = "none";
    while (poll(&fd, 1, strcmp(what, "CQ_ERR") ? 5000 : (int)QUIET_MS) == 1) {
        if (ibv_get_async_event(device->context, &async))
            die_errno(errno, "ibv_get_async_event");
        if (async.event_type == IBV_EVENT_CQ_ERR && async.element.cq == small)
            what = "CQ_ERR";
        ibv_ack_async_event(&async);
    }
    int polled = 0;
    struct ibv_wc wc;
    bool order = true;
    while (polled < posts && poll_one(small, &wc, QUIET_MS))
        order &= wc.wr_id == (uint64_t)polled++ && wc.status == IBV_WC_SUCCESS;
    report("event.cq-overrun", "%s polled=%s order=%s", what, polled >= 3 && polled < posts ? "what-fitted" : "other",
           order ? "right" : "wrong");
    must(ibv_destroy_qp(pair.qp[0]), "ibv_destroy_qp");
    must(ibv_destroy_cq(small), "ibv_destroy_cq");
    pair.qp[0] = plain;
    pair_close(&pair);
}

void event_cases(struct judge_device *device)
{
    any_case(device);
    solicited_case(device);
    error_case(device);
    late_arming_case(device);
    overrun_case(device);
}
