/* SPDX-License-Identifier: Apache-2.0
 * ibv_query_qp in each state: what was set must come back. */
#include "errno_judge.h"

#include <stdio.h>
#include <string.h>

static const int ALL = IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_AV |
                       IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_RQ_PSN |
                       IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER | IBV_QP_SQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_CAP |
                       IBV_QP_DEST_QPN;

static void state_case(struct judge_device *device, enum ibv_qp_state state)
{
    struct pair pair;
    pair_create(&pair, device);
    pair_walk(&pair, state);
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr init;
    memset(&attr, 0, sizeof(attr));
    memset(&init, 0, sizeof(init));
    int rc = ibv_query_qp(pair.qp[0], &attr, ALL, &init);
    const char *at = state_name(state);
    report(case_name("query.%s.state", at), "%s %s %s qp->state=%s", errno_name(rc), state_name(attr.qp_state),
           state_name(attr.cur_qp_state), state_name(pair.qp[0]->state));
    if (state >= IBV_QPS_INIT && state <= IBV_QPS_SQD)
        report(case_name("query.%s.init", at), "access=0x%x pkey=%u port=%s", attr.qp_access_flags & 0xf, attr.pkey_index,
               attr.port_num == device->port_num ? "same" : "other");
    if (state >= IBV_QPS_RTR && state <= IBV_QPS_SQD) {
        uint32_t mtu = device->port.active_mtu;
        report(case_name("query.%s.rtr", at), "mtu=%s rq_psn=0x%x dest=%s dest_rd=%u rnr_timer=%u",
               attr.path_mtu == mtu ? "same" : "other", attr.rq_psn, attr.dest_qp_num == pair.qp[1]->qp_num ? "same" : "other",
               attr.max_dest_rd_atomic, attr.min_rnr_timer);
        report(case_name("query.%s.av", at), "global=%u sgid_index=%s dgid=%s hop_limit=%u port=%s", attr.ah_attr.is_global,
               attr.ah_attr.grh.sgid_index == device->gid_index ? "same" : "other",
               memcmp(&attr.ah_attr.grh.dgid, &device->gid, 16) == 0 ? "same" : "other", attr.ah_attr.grh.hop_limit,
               attr.ah_attr.port_num == device->port_num ? "same" : "other");
    }
    if (state == IBV_QPS_RTS || state == IBV_QPS_SQD)
        report(case_name("query.%s.rts", at), "sq_psn=0x%x timeout=%s retry=%u rnr_retry=%u rd=%u", attr.sq_psn,
               attr.timeout == rc_default.timeout ? "same" : "other",
               attr.retry_cnt, attr.rnr_retry, attr.max_rd_atomic);
    report(case_name("query.%s.init_attr", at), "cqs=%s type=%s sig_all=%d context=%s srq=%s caps=%s",
           init.send_cq == pair.send_cq[0] && init.recv_cq == pair.recv_cq[0] ? "same" : "other",
           init.qp_type == IBV_QPT_RC ? "RC" : "other", init.sq_sig_all, init.qp_context == &pair ? "same" : "other",
           init.srq ? "some" : "none",
           init.cap.max_send_wr >= PAIR_DEPTH && init.cap.max_recv_wr >= PAIR_DEPTH && init.cap.max_send_sge >= 4 &&
                   init.cap.max_recv_sge >= 4 && init.cap.max_inline_data >= 64
               ? "enough"
               : "less");
    report(case_name("query.%s.cap", at), "%s", memcmp(&init.cap, &attr.cap, sizeof(attr.cap)) == 0 ? "same" : "other");
    pair_close(&pair);
}

/* What ibv_create_qp wrote back must hold, and nothing is less than asked. */
static void caps_case(struct judge_device *device)
{
    struct pair pair;
    pair_create(&pair, device);
    struct ibv_qp_init_attr init = {
        .send_cq = pair.send_cq[0],
        .recv_cq = pair.recv_cq[0],
        .cap = {.max_send_wr = 7, .max_recv_wr = 9, .max_send_sge = 3, .max_recv_sge = 5, .max_inline_data = 33},
        .qp_type = IBV_QPT_RC,
        .sq_sig_all = 1,
    };
    struct ibv_qp *qp = ibv_create_qp(pair.pd[0], &init);
    if (!qp)
        die("ibv_create_qp");
    struct ibv_qp_attr attr;
    struct ibv_qp_init_attr again;
    int rc = ibv_query_qp(qp, &attr, IBV_QP_CAP, &again);
    report("query.created-caps", "%s granted=%s again=%s sig_all=%d", errno_name(rc),
           init.cap.max_send_wr >= 7 && init.cap.max_recv_wr >= 9 && init.cap.max_send_sge >= 3 && init.cap.max_recv_sge >= 5 &&
                   init.cap.max_inline_data >= 33
               ? "enough"
               : "less",
           memcmp(&init.cap, &again.cap, sizeof(init.cap)) == 0 ? "same" : "other", again.sq_sig_all);
    rc = ibv_destroy_qp(qp);
    if (rc)
        die_errno(rc, "ibv_destroy_qp");
    pair_close(&pair);
}

void query_cases(struct judge_device *device)
{
    static const enum ibv_qp_state states[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR,
                                               IBV_QPS_RTS,   IBV_QPS_SQD,  IBV_QPS_ERR};
    for (size_t i = 0; i < COUNT_OF(states); i++)
        state_case(device, states[i]);
    caps_case(device);
}
