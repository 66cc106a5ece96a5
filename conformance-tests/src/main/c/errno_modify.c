/* SPDX-License-Identifier: Apache-2.0
 * ibv_modify_qp on RC: IBTA vol. 1 table of QP state transitions (10.3.1, 11.2.5.2) and its man page. */
#include "errno_judge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

struct flag {
    int bit;
    const char *name;
};

static const struct flag FLAGS[] = {
    {IBV_QP_CUR_STATE, "cur_state"},
    {IBV_QP_EN_SQD_ASYNC_NOTIFY, "en_sqd_async_notify"},
    {IBV_QP_ACCESS_FLAGS, "access_flags"},
    {IBV_QP_PKEY_INDEX, "pkey_index"},
    {IBV_QP_PORT, "port"},
    {IBV_QP_QKEY, "qkey"},
    {IBV_QP_AV, "av"},
    {IBV_QP_PATH_MTU, "path_mtu"},
    {IBV_QP_TIMEOUT, "timeout"},
    {IBV_QP_RETRY_CNT, "retry_cnt"},
    {IBV_QP_RNR_RETRY, "rnr_retry"},
    {IBV_QP_RQ_PSN, "rq_psn"},
    {IBV_QP_MAX_QP_RD_ATOMIC, "max_qp_rd_atomic"},
    {IBV_QP_ALT_PATH, "alt_path"},
    {IBV_QP_MIN_RNR_TIMER, "min_rnr_timer"},
    {IBV_QP_SQ_PSN, "sq_psn"},
    {IBV_QP_MAX_DEST_RD_ATOMIC, "max_dest_rd_atomic"},
    {IBV_QP_PATH_MIG_STATE, "path_mig_state"},
    {IBV_QP_CAP, "cap"},
    {IBV_QP_DEST_QPN, "dest_qpn"},
    {IBV_QP_RATE_LIMIT, "rate_limit"},
};

#define INIT_MASK (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)
#define RTR_MASK                                                                                                        \
    (IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |        \
     IBV_QP_MIN_RNR_TIMER)
#define RTS_MASK                                                                                                        \
    (IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC)

static int usual_mask(enum ibv_qp_state from, enum ibv_qp_state to)
{
    if (to == IBV_QPS_INIT && from != IBV_QPS_INIT)
        return INIT_MASK;
    if (to == IBV_QPS_RTR)
        return RTR_MASK;
    if (to == IBV_QPS_RTS && from != IBV_QPS_RTS && from != IBV_QPS_SQD)
        return RTS_MASK;
    return IBV_QP_STATE;
}

/* Every field filled with a value that is valid on any device. */
static struct ibv_qp_attr good_attr(const struct pair *pair, enum ibv_qp_state from, enum ibv_qp_state to)
{
    const struct judge_device *device = pair->device;
    struct ibv_qp_attr attr = {
        .qp_state = to,
        .cur_qp_state = from,
        .path_mtu = IBV_MTU_1024,
        .path_mig_state = IBV_MIG_MIGRATED,
        .qkey = 0x1234,
        .rq_psn = PAIR_PSN(1),
        .sq_psn = PAIR_PSN(0),
        .dest_qp_num = pair->qp[1]->qp_num,
        .qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE,
        .cap = {.max_send_wr = 8, .max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1},
        .ah_attr =
            {
                .is_global = 1,
                .port_num = device->port_num,
                .grh = {.dgid = device->gid, .sgid_index = (uint8_t)device->gid_index, .hop_limit = 64},
            },
        .max_rd_atomic = 4,
        .max_dest_rd_atomic = 4,
        .min_rnr_timer = 12,
        .port_num = device->port_num,
        .timeout = 14,
        .retry_cnt = 7,
        .rnr_retry = 7,
        .alt_port_num = device->port_num,
        .alt_timeout = 14,
    };
    attr.alt_ah_attr = attr.ah_attr;
    return attr;
}

/* One call on a fresh QP brought to `from`; reports the errno and the state that followed. */
static void attempt(struct judge_device *device, const char *name, enum ibv_qp_state from, struct ibv_qp_attr *attr,
                    int mask)
{
    struct pair pair;
    pair_create(&pair, device);
    pair_walk(&pair, from);
    attr->dest_qp_num = attr->dest_qp_num == UINT32_MAX ? pair.qp[1]->qp_num : attr->dest_qp_num;
    int rc = ibv_modify_qp(pair.qp[0], attr, mask);
    report(name, "%s %s", errno_name(rc), state_name(pair_state(&pair, 0)));
    pair_close(&pair);
}

static struct ibv_qp_attr template_attr(struct judge_device *device, enum ibv_qp_state from, enum ibv_qp_state to)
{
    struct pair pair;
    pair_create(&pair, device);
    struct ibv_qp_attr attr = good_attr(&pair, from, to);
    attr.dest_qp_num = UINT32_MAX;
    pair_close(&pair);
    return attr;
}

static const enum ibv_qp_state FROM[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD, IBV_QPS_ERR};
static const enum ibv_qp_state TO[] = {IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS,
                                       IBV_QPS_SQD,   IBV_QPS_SQE,  IBV_QPS_ERR};

/* Every pair of states, each with the mask that is right for the target. */
static void transition_cases(struct judge_device *device)
{
    for (size_t f = 0; f < COUNT_OF(FROM); f++)
        for (size_t t = 0; t < COUNT_OF(TO); t++) {
            struct ibv_qp_attr attr = template_attr(device, FROM[f], TO[t]);
            attempt(device, case_name("modify.state.%s-%s", state_name(FROM[f]), state_name(TO[t])), FROM[f], &attr,
                    usual_mask(FROM[f], TO[t]));
        }
}

/* Each required attribute left out, and each other attribute added, for every legal transition. */
static void mask_cases(struct judge_device *device)
{
    static const enum ibv_qp_state legal[][2] = {
        {IBV_QPS_RESET, IBV_QPS_INIT}, {IBV_QPS_INIT, IBV_QPS_INIT}, {IBV_QPS_INIT, IBV_QPS_RTR}, {IBV_QPS_RTR, IBV_QPS_RTS},
        {IBV_QPS_RTS, IBV_QPS_RTS},    {IBV_QPS_RTS, IBV_QPS_SQD},   {IBV_QPS_SQD, IBV_QPS_SQD},  {IBV_QPS_SQD, IBV_QPS_RTS},
        {IBV_QPS_RTS, IBV_QPS_ERR},    {IBV_QPS_ERR, IBV_QPS_RESET},
    };
    for (size_t l = 0; l < COUNT_OF(legal); l++) {
        enum ibv_qp_state from = legal[l][0];
        enum ibv_qp_state to = legal[l][1];
        int usual = usual_mask(from, to);
        for (size_t f = 0; f < COUNT_OF(FLAGS); f++) {
            struct ibv_qp_attr attr = template_attr(device, from, to);
            bool required = usual & FLAGS[f].bit;
            attempt(device,
                    case_name("modify.mask.%s-%s.%s-%s", state_name(from), state_name(to), required ? "without" : "with",
                              FLAGS[f].name),
                    from, &attr, usual ^ FLAGS[f].bit);
        }
    }
}

struct value_case {
    const char *name;
    enum ibv_qp_state from;
    enum ibv_qp_state to;
    int more;
    void (*spoil)(struct ibv_qp_attr *attr, const struct judge_device *device);
};

#define SPOIL(id, statement)                                                                                            \
    static void id(struct ibv_qp_attr *attr, const struct judge_device *device)                                        \
    {                                                                                                                   \
        (void)device;                                                                                                   \
        statement;                                                                                                      \
    }

SPOIL(port_zero, attr->port_num = 0)
SPOIL(port_two, attr->port_num = (uint8_t)(device->attr.phys_port_cnt + 1))
SPOIL(pkey_past, attr->pkey_index = device->port.pkey_tbl_len)
SPOIL(access_none, attr->qp_access_flags = 0)
SPOIL(access_unknown, attr->qp_access_flags = 1u << 19)
SPOIL(av_port_zero, attr->ah_attr.port_num = 0)
SPOIL(av_port_two, attr->ah_attr.port_num = (uint8_t)(device->attr.phys_port_cnt + 1))
SPOIL(sgid_past, attr->ah_attr.grh.sgid_index = 255)
SPOIL(no_grh, attr->ah_attr.is_global = 0)
SPOIL(dgid_zero, memset(&attr->ah_attr.grh.dgid, 0, sizeof(union ibv_gid)))
SPOIL(mtu_zero, attr->path_mtu = (enum ibv_mtu)0)
SPOIL(mtu_six, attr->path_mtu = (enum ibv_mtu)6)
SPOIL(mtu_256, attr->path_mtu = IBV_MTU_256)
SPOIL(mtu_4096, attr->path_mtu = IBV_MTU_4096)
SPOIL(rq_psn_wide, attr->rq_psn = 0x1000000)
SPOIL(dest_qpn_wide, attr->dest_qp_num = 0x1000000)
SPOIL(dest_rd_zero, attr->max_dest_rd_atomic = 0)
SPOIL(dest_rd_max, attr->max_dest_rd_atomic = (uint8_t)device->attr.max_qp_rd_atom)
SPOIL(dest_rd_over, attr->max_dest_rd_atomic = (uint8_t)(device->attr.max_qp_rd_atom + 1))
SPOIL(rnr_timer_31, attr->min_rnr_timer = 31)
SPOIL(rnr_timer_32, attr->min_rnr_timer = 32)
SPOIL(sq_psn_wide, attr->sq_psn = 0x1000000)
SPOIL(timeout_zero, attr->timeout = 0)
SPOIL(timeout_31, attr->timeout = 31)
SPOIL(timeout_32, attr->timeout = 32)
SPOIL(retry_8, attr->retry_cnt = 8)
SPOIL(rnr_retry_8, attr->rnr_retry = 8)
SPOIL(rd_zero, attr->max_rd_atomic = 0)
SPOIL(rd_max, attr->max_rd_atomic = (uint8_t)device->attr.max_qp_init_rd_atom)
SPOIL(rd_over, attr->max_rd_atomic = (uint8_t)(device->attr.max_qp_init_rd_atom + 1))
SPOIL(cur_wrong, attr->cur_qp_state = IBV_QPS_RTS)
SPOIL(cur_unknown, attr->cur_qp_state = (enum ibv_qp_state)9)
SPOIL(state_unknown, attr->qp_state = (enum ibv_qp_state)9)
SPOIL(nothing, (void)attr)

static const struct value_case VALUES[] = {
    {"port-0", IBV_QPS_RESET, IBV_QPS_INIT, 0, port_zero},
    {"port-past-end", IBV_QPS_RESET, IBV_QPS_INIT, 0, port_two},
    {"pkey_index-past-end", IBV_QPS_RESET, IBV_QPS_INIT, 0, pkey_past},
    {"access_flags-0", IBV_QPS_RESET, IBV_QPS_INIT, 0, access_none},
    {"access_flags-unknown", IBV_QPS_RESET, IBV_QPS_INIT, 0, access_unknown},
    {"cur_state-right", IBV_QPS_INIT, IBV_QPS_RTR, 0, nothing},
    {"av-port-0", IBV_QPS_INIT, IBV_QPS_RTR, 0, av_port_zero},
    {"av-port-past-end", IBV_QPS_INIT, IBV_QPS_RTR, 0, av_port_two},
    {"av-sgid_index-past-end", IBV_QPS_INIT, IBV_QPS_RTR, 0, sgid_past},
    {"av-without-grh", IBV_QPS_INIT, IBV_QPS_RTR, 0, no_grh},
    {"av-dgid-zero", IBV_QPS_INIT, IBV_QPS_RTR, 0, dgid_zero},
    {"path_mtu-0", IBV_QPS_INIT, IBV_QPS_RTR, 0, mtu_zero},
    {"path_mtu-6", IBV_QPS_INIT, IBV_QPS_RTR, 0, mtu_six},
    {"path_mtu-256", IBV_QPS_INIT, IBV_QPS_RTR, 0, mtu_256},
    {"path_mtu-4096", IBV_QPS_INIT, IBV_QPS_RTR, 0, mtu_4096},
    {"rq_psn-25-bits", IBV_QPS_INIT, IBV_QPS_RTR, 0, rq_psn_wide},
    {"dest_qpn-25-bits", IBV_QPS_INIT, IBV_QPS_RTR, 0, dest_qpn_wide},
    {"max_dest_rd_atomic-0", IBV_QPS_INIT, IBV_QPS_RTR, 0, dest_rd_zero},
    {"max_dest_rd_atomic-max", IBV_QPS_INIT, IBV_QPS_RTR, 0, dest_rd_max},
    {"max_dest_rd_atomic-over", IBV_QPS_INIT, IBV_QPS_RTR, 0, dest_rd_over},
    {"min_rnr_timer-31", IBV_QPS_INIT, IBV_QPS_RTR, 0, rnr_timer_31},
    {"min_rnr_timer-32", IBV_QPS_INIT, IBV_QPS_RTR, 0, rnr_timer_32},
    {"cur_state-wrong", IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_CUR_STATE, cur_wrong},
    {"cur_state-unknown", IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_CUR_STATE, cur_unknown},
    {"state-unknown", IBV_QPS_INIT, IBV_QPS_RTR, 0, state_unknown},
    {"sq_psn-25-bits", IBV_QPS_RTR, IBV_QPS_RTS, 0, sq_psn_wide},
    {"timeout-0", IBV_QPS_RTR, IBV_QPS_RTS, 0, timeout_zero},
    {"timeout-31", IBV_QPS_RTR, IBV_QPS_RTS, 0, timeout_31},
    {"timeout-32", IBV_QPS_RTR, IBV_QPS_RTS, 0, timeout_32},
    {"retry_cnt-8", IBV_QPS_RTR, IBV_QPS_RTS, 0, retry_8},
    {"rnr_retry-8", IBV_QPS_RTR, IBV_QPS_RTS, 0, rnr_retry_8},
    {"max_rd_atomic-0", IBV_QPS_RTR, IBV_QPS_RTS, 0, rd_zero},
    {"max_rd_atomic-max", IBV_QPS_RTR, IBV_QPS_RTS, 0, rd_max},
    {"max_rd_atomic-over", IBV_QPS_RTR, IBV_QPS_RTS, 0, rd_over},
    {"rts-cur_state-sqd", IBV_QPS_RTS, IBV_QPS_RTS, IBV_QP_CUR_STATE, cur_unknown},
};

static void value_cases(struct judge_device *device)
{
    for (size_t i = 0; i < COUNT_OF(VALUES); i++) {
        const struct value_case *c = &VALUES[i];
        struct ibv_qp_attr attr = template_attr(device, c->from, c->to);
        c->spoil(&attr, device);
        attempt(device, case_name("modify.value.%s", c->name), c->from, &attr, usual_mask(c->from, c->to) | c->more);
    }
}

/* Without IBV_QP_STATE the QP stays where it is and the mask is judged as state to same state. */
static void stateless_cases(struct judge_device *device)
{
    for (size_t f = 0; f < COUNT_OF(FROM); f++) {
        struct ibv_qp_attr attr = template_attr(device, FROM[f], FROM[f]);
        attempt(device, case_name("modify.stateless.%s.access_flags", state_name(FROM[f])), FROM[f], &attr,
                IBV_QP_ACCESS_FLAGS);
        attr = template_attr(device, FROM[f], FROM[f]);
        attempt(device, case_name("modify.stateless.%s.min_rnr_timer", state_name(FROM[f])), FROM[f], &attr,
                IBV_QP_MIN_RNR_TIMER);
        attr = template_attr(device, FROM[f], FROM[f]);
        attempt(device, case_name("modify.stateless.%s.empty-mask", state_name(FROM[f])), FROM[f], &attr, 0);
    }
}

/* "If any of the modify attributes or the modify mask are invalid, none of the attributes will be modified". */
static void nothing_changes_case(struct judge_device *device)
{
    struct pair pair;
    pair_create(&pair, device);
    pair_walk(&pair, IBV_QPS_INIT);
    struct ibv_qp_attr attr = good_attr(&pair, IBV_QPS_INIT, IBV_QPS_INIT);
    attr.qp_access_flags = IBV_ACCESS_REMOTE_READ;
    attr.port_num = 0;
    int rc = ibv_modify_qp(pair.qp[0], &attr, INIT_MASK);
    struct ibv_qp_attr after = {0};
    struct ibv_qp_init_attr init;
    int query = ibv_query_qp(pair.qp[0], &after, IBV_QP_ACCESS_FLAGS | IBV_QP_PORT | IBV_QP_STATE, &init);
    report("modify.failed-changes-nothing", "%s %s access=%s port=%s", errno_name(rc), errno_name(query),
           (after.qp_access_flags & 0xf) == (rc_default.access & 0xf) ? "old" : "changed",
           after.port_num == device->port_num ? "old" : "changed");
    pair_close(&pair);
}

void modify_cases(struct judge_device *device)
{
    if (group_wanted("modify.state."))
        transition_cases(device);
    if (group_wanted("modify.mask."))
        mask_cases(device);
    if (group_wanted("modify.value."))
        value_cases(device);
    if (group_wanted("modify.stateless."))
        stateless_cases(device);
    if (group_wanted("modify.failed"))
        nothing_changes_case(device);
}
