/* SPDX-License-Identifier: Apache-2.0
 * Flush, drain, reset and events: what happens to work that is queued when a QP changes its state. */
#include "errno_judge.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

static void set_state(struct pair *pair, int side, enum ibv_qp_state state)
{
    struct ibv_qp_attr attr = {.qp_state = state};
    int rc = ibv_modify_qp(pair->qp[side], &attr, IBV_QP_STATE);
    if (rc)
        die_errno(rc, "ibv_modify_qp to %s", state_name(state));
}

static int post_write(struct pair *pair, uint64_t wr_id, uint32_t rkey, unsigned flags)
{
    struct ibv_sge sge = sge_of(pair, 0, 0, 8);
    struct ibv_send_wr wr = {
        .wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = flags};
    wr.wr.rdma.remote_addr = (uintptr_t)pair->memory[1] + 8192;
    wr.wr.rdma.rkey = rkey;
    struct ibv_send_wr *bad = NULL;
    return ibv_post_send(pair->qp[0], &wr, &bad);
}

static int post_simple_send(struct pair *pair, uint64_t wr_id, unsigned flags)
{
    struct ibv_sge sge = sge_of(pair, 0, 0, 8);
    struct ibv_send_wr wr = {.wr_id = wr_id, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND, .send_flags = flags};
    struct ibv_send_wr *bad = NULL;
    return ibv_post_send(pair->qp[0], &wr, &bad);
}

static void must(int rc, const char *what)
{
    if (rc)
        die_errno(rc, "%s", what);
}

static void receive_queue_case(struct judge_device *device)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    for (uint64_t i = 0; i < 5; i++)
        must(post_receive(&pair, 0, 100 + i, 0, 64), "ibv_post_recv");
    set_state(&pair, 0, IBV_QPS_ERR);
    report("flush.receives", "%s", poll_text(pair.recv_cq[0], 5, WAIT_MS));
    report("flush.receives.no-more", "%s", poll_text(pair.recv_cq[0], 1, QUIET_MS));
    must(post_receive(&pair, 0, 200, 0, 64), "ibv_post_recv in ERR");
    report("flush.receive-posted-in-err", "%s", poll_text(pair.recv_cq[0], 1, WAIT_MS));
    must(post_simple_send(&pair, 300, IBV_SEND_SIGNALED), "ibv_post_send in ERR");
    report("flush.send-posted-in-err", "%s", poll_text(pair.send_cq[0], 1, WAIT_MS));
    must(post_simple_send(&pair, 301, 0), "ibv_post_send in ERR");
    report("flush.unsignalled-send-posted-in-err", "%s", poll_text(pair.send_cq[0], 1, WAIT_MS));
    pair_close(&pair);
}

/* Sends that wait for a receive are flushed, signalled or not, in order, when the program moves the QP to ERR. */
static void send_queue_case(struct judge_device *device)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    set_state(&pair, 0, IBV_QPS_SQD);
    for (uint64_t i = 0; i < 5; i++)
        must(post_simple_send(&pair, i, i % 2 ? 0 : IBV_SEND_SIGNALED), "ibv_post_send");
    must(post_receive(&pair, 0, 100, 0, 64), "ibv_post_recv");
    set_state(&pair, 0, IBV_QPS_ERR);
    report("flush.sends", "%s", poll_text(pair.send_cq[0], 5, WAIT_MS));
    report("flush.sends.no-more", "%s", poll_text(pair.send_cq[0], 1, QUIET_MS));
    report("flush.sends.receive", "%s", poll_text(pair.recv_cq[0], 1, WAIT_MS));
    pair_close(&pair);
}

/* One WR fails: those before it are good, the failed one says why even if unsignalled, the rest is flushed. */
static void error_in_the_middle_case(struct judge_device *device, bool signalled)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    must(post_receive(&pair, 0, 100, 0, 64), "ibv_post_recv");
    must(post_receive(&pair, 1, 101, 0, 64), "ibv_post_recv");
    unsigned flags = signalled ? IBV_SEND_SIGNALED : 0;
    must(post_write(&pair, 1, pair.mr[1]->rkey, flags), "ibv_post_send");
    must(post_write(&pair, 2, pair.mr[1]->rkey, IBV_SEND_SIGNALED), "ibv_post_send");
    must(post_write(&pair, 3, pair.mr[1]->rkey ^ 0x00ffff00, flags), "ibv_post_send");
    must(post_write(&pair, 4, pair.mr[1]->rkey, flags), "ibv_post_send");
    must(post_write(&pair, 5, pair.mr[1]->rkey, IBV_SEND_SIGNALED), "ibv_post_send");
    const char *name = signalled ? "signalled" : "unsignalled";
    report(case_name("flush.error-in-the-middle.%s", name), "%s", poll_text(pair.send_cq[0], signalled ? 5 : 4, WAIT_MS));
    report(case_name("flush.error-in-the-middle.%s.no-more", name), "%s", poll_text(pair.send_cq[0], 1, QUIET_MS));
    report(case_name("flush.error-in-the-middle.%s.receives", name), "requester %s responder %s",
           poll_text(pair.recv_cq[0], 1, WAIT_MS), poll_text(pair.recv_cq[1], 1, WAIT_MS));
    pair_close(&pair);
}

/* RESET throws everything away: nothing completes afterwards, and the QP can be connected again. */
static void reset_case(struct judge_device *device)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    must(post_receive(&pair, 0, 100, 0, 64), "ibv_post_recv");
    must(post_receive(&pair, 1, 101, 0, 64), "ibv_post_recv");
    for (int side = 0; side < 2; side++)
        set_state(&pair, side, IBV_QPS_RESET);
    report("flush.reset", "recv0=%s recv1=%s", poll_text(pair.recv_cq[0], 1, QUIET_MS), poll_text(pair.recv_cq[1], 1, QUIET_MS));
    pair_connect(&pair, NULL);
    must(post_receive(&pair, 1, 102, 0, 64), "ibv_post_recv");
    must(post_simple_send(&pair, 7, IBV_SEND_SIGNALED), "ibv_post_send");
    report("flush.reset-and-again", "send=%s recv=%s", poll_text(pair.send_cq[0], 1, WAIT_MS),
           poll_text(pair.recv_cq[1], 1, WAIT_MS));
    pair_close(&pair);
}

/* After an error on both sides the same two QPs work again when they went through RESET. */
static void recover_case(struct judge_device *device)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    must(post_write(&pair, 1, pair.mr[1]->rkey ^ 0x00ffff00, IBV_SEND_SIGNALED), "ibv_post_send");
    const char *first = poll_text(pair.send_cq[0], 1, WAIT_MS);
    for (int side = 0; side < 2; side++)
        set_state(&pair, side, IBV_QPS_RESET);
    pair_connect(&pair, NULL);
    must(post_write(&pair, 2, pair.mr[1]->rkey, IBV_SEND_SIGNALED), "ibv_post_send");
    report("flush.recover-through-reset", "%s then %s", first, poll_text(pair.send_cq[0], 1, WAIT_MS));
    pair_close(&pair);
}

/* The next event of the QP but COMM_EST, which devices may leave out. */
static const char *next_event(struct judge_device *device, struct ibv_qp *qp, int timeout_ms)
{
    struct pollfd fd = {.fd = device->context->async_fd, .events = POLLIN};
    while (poll(&fd, 1, timeout_ms) == 1) {
        struct ibv_async_event event;
        if (ibv_get_async_event(device->context, &event))
            return "failed";
        bool of_a_qp = event.event_type >= IBV_EVENT_QP_FATAL && event.event_type <= IBV_EVENT_PATH_MIG_ERR;
        bool mine = of_a_qp && event.element.qp == qp && event.event_type != IBV_EVENT_COMM_EST;
        ibv_ack_async_event(&event);
        if (mine)
            return event.event_type == IBV_EVENT_SQ_DRAINED ? "SQ_DRAINED" : ibv_event_type_str(event.event_type);
    }
    return "NONE";
}

/* SQD: what is posted there waits for RTS; the event says when it is drained. */
static void drain_case(struct judge_device *device)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    must(post_write(&pair, 1, pair.mr[1]->rkey, IBV_SEND_SIGNALED), "ibv_post_send");
    /* Waited for: a request that was posted, but not begun, may stay behind too (IBTA 10.3.1.5). */
    const char *before = poll_text(pair.send_cq[0], 1, WAIT_MS);
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1};
    must(ibv_modify_qp(pair.qp[0], &attr, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), "SQD");
    report("flush.sqd.event", "%s", next_event(device, pair.qp[0], 5000));
    must(post_write(&pair, 2, pair.mr[1]->rkey, IBV_SEND_SIGNALED), "ibv_post_send in SQD");
    const char *during = poll_text(pair.send_cq[0], 1, QUIET_MS);
    struct ibv_qp_init_attr init;
    must(ibv_query_qp(pair.qp[0], &attr, IBV_QP_STATE, &init), "ibv_query_qp");
    int draining = attr.sq_draining;
    set_state(&pair, 0, IBV_QPS_RTS);
    report("flush.sqd.order", "before=%s during=%s sq_draining=%d after=%s", before, during, draining,
           poll_text(pair.send_cq[0], 1, WAIT_MS));
    pair_close(&pair);
}

/* A passive side in SQD still answers. */
static void drained_responder_case(struct judge_device *device)
{
    struct pair pair;
    pair_open(&pair, device, NULL);
    set_state(&pair, 1, IBV_QPS_SQD);
    must(post_write(&pair, 1, pair.mr[1]->rkey, IBV_SEND_SIGNALED), "ibv_post_send");
    report("flush.sqd.responder-answers", "%s", poll_text(pair.send_cq[0], 1, WAIT_MS));
    pair_close(&pair);
}

/* The responder in RTR takes requests. */
static void rtr_responder_case(struct judge_device *device)
{
    struct pair pair;
    pair_create(&pair, device);
    struct rc_address peer = rc_address_of(device, pair.qp[1], PAIR_PSN(1));
    rc_connect(pair.qp[0], device, PAIR_PSN(0), &peer, &rc_default);
    peer = rc_address_of(device, pair.qp[0], PAIR_PSN(0));
    must(rc_init(pair.qp[1], device, &rc_default), "INIT");
    must(rc_rtr(pair.qp[1], device, &peer, &rc_default), "RTR");
    must(post_receive(&pair, 1, 101, 0, 64), "ibv_post_recv");
    must(post_simple_send(&pair, 1, IBV_SEND_SIGNALED), "ibv_post_send");
    report("flush.rtr.responder-answers", "send=%s recv=%s", poll_text(pair.send_cq[0], 1, WAIT_MS),
           poll_text(pair.recv_cq[1], 1, WAIT_MS));
    pair_close(&pair);
}

void flush_cases(struct judge_device *device)
{
    receive_queue_case(device);
    send_queue_case(device);
    error_in_the_middle_case(device, true);
    error_in_the_middle_case(device, false);
    reset_case(device);
    recover_case(device);
    drain_case(device);
    drained_responder_case(device);
    rtr_responder_case(device);
}
