/* SPDX-License-Identifier: Apache-2.0
 * verbs_data: options, the agreement of both processes, the threads, and the last comparison. */
#include "data_judge.h"

#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct options {
    const char *device;
    const char *host;
    int gid_index;
    int port;
    bool server;
    enum spoil spoil;
    struct params params;
};

static void usage(void)
{
    fprintf(stderr,
            "usage: verbs_data -d DEV -g GIDX [-p PORT] [options] [HOST]     (no HOST, or -s: server)\n"
            "  --messages N   per QP and direction (200)      --threads T  (2; every second one sleeps on events)\n"
            "  --qps Q        per thread (2)                  --max-size B (8M)\n"
            "  --seed S       (random)                        --timeout S  without any completion (60)\n"
            "  --late P       percent of the QPs whose receives come after the go-ahead, so that sends meet RNR (25)\n"
            "  --wr-api P     percent of the QPs that post by ibv_wr_* (0; the rxe library of rdma-core 44 loses SGEs there)\n"
            "  --spoil byte|immediate|order|length     the client lies once, and the judge must fail\n"
            "The client's options count for both sides.\n");
    exit(2);
}

static enum spoil parse_spoil(const char *text)
{
    static const char *const names[] = {"nothing", "byte", "immediate", "order", "length"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(text, names[i]) == 0)
            return (enum spoil)i;
    usage();
    return SPOIL_NOTHING;
}

static struct options parse(int argc, char **argv)
{
    struct options o = {.port = 18515, .params = {.messages = 200, .threads = 2, .qps = 2, .max_size = 8u << 20, .timeout_s = 60, .late_percent = 25}};
    enum { SEED = 256, MESSAGES, THREADS, QPS, MAX_SIZE, TIMEOUT, SPOIL, LATE, WR_API };
    static const struct option longs[] = {
        {"seed", required_argument, NULL, SEED},        {"messages", required_argument, NULL, MESSAGES},
        {"threads", required_argument, NULL, THREADS},  {"qps", required_argument, NULL, QPS},
        {"max-size", required_argument, NULL, MAX_SIZE}, {"timeout", required_argument, NULL, TIMEOUT},
        {"spoil", required_argument, NULL, SPOIL},    {"late", required_argument, NULL, LATE},
        {"wr-api", required_argument, NULL, WR_API},
        {0},
    };
    int c;
    o.params.seed = seed_from_clock();
    while ((c = getopt_long(argc, argv, "d:g:p:s", longs, NULL)) != -1) {
        bool text = c == 'd' || c == 's' || c == '?' || c == SPOIL;
        uint64_t n = text ? 0 : parse_number(argv[optind - 1], optarg);
        switch (c) {
        case 'd':
            o.device = optarg;
            break;
        case 's':
            o.server = true;
            break;
        case 'g':
            o.gid_index = (int)n;
            break;
        case 'p':
            o.port = (int)n;
            break;
        case SEED:
            o.params.seed = n;
            break;
        case MESSAGES:
            o.params.messages = (uint32_t)n;
            break;
        case THREADS:
            o.params.threads = (uint32_t)n;
            break;
        case QPS:
            o.params.qps = (uint32_t)n;
            break;
        case MAX_SIZE:
            o.params.max_size = (uint32_t)n;
            break;
        case TIMEOUT:
            o.params.timeout_s = (uint32_t)n;
            break;
        case WR_API:
            o.params.wr_percent = (uint32_t)n;
            break;
        case LATE:
            o.params.late_percent = (uint32_t)n;
            break;
        case SPOIL:
            o.spoil = parse_spoil(optarg);
            break;
        default:
            usage();
        }
    }
    if (optind < argc - 1)
        usage();
    if (optind < argc)
        o.host = argv[optind];
    o.server |= !o.host;
    if (o.params.messages == 0 || o.params.threads == 0 || o.params.threads > 64 || o.params.qps == 0 || o.params.qps > 256 ||
        o.params.max_size > 1u << 30)
        usage();
    return o;
}

/* The most inline data that a QP with these SGEs gets, out of three wishes. */
static uint32_t probe_inline(struct judge *judge, uint32_t sges)
{
    static const uint32_t wishes[] = {220, 64, 0};
    struct ibv_cq *cq = ibv_create_cq(judge->device.context, 4, NULL, NULL, 0);
    if (!cq)
        die_errno(errno, "ibv_create_cq");
    uint32_t most = 0;
    for (size_t i = 0; i < COUNT_OF(wishes); i++) {
        struct ibv_qp_init_attr init = {
            .send_cq = cq,
            .recv_cq = cq,
            .cap = {.max_send_wr = 2, .max_recv_wr = 2, .max_send_sge = sges, .max_recv_sge = sges, .max_inline_data = wishes[i]},
            .qp_type = IBV_QPT_RC,
        };
        struct ibv_qp *qp = ibv_create_qp(judge->pd, &init);
        if (!qp)
            continue;
        most = wishes[i];
        int rc = ibv_destroy_qp(qp);
        if (rc)
            die_errno(rc, "ibv_destroy_qp");
        break;
    }
    int rc = ibv_destroy_cq(cq);
    if (rc)
        die_errno(rc, "ibv_destroy_cq");
    return most;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* The client's wishes, cut to what both devices can. */
static void agree(struct judge *judge, int fd)
{
    struct params mine = judge->params;
    mine.max_sge = least(MAX_SGES, least((uint32_t)judge->device.attr.max_sge, (uint32_t)judge->device.attr.max_sge_rd));
    mine.max_inline = probe_inline(judge, mine.max_sge);
    mine.max_size = least(mine.max_size, judge->device.port.max_msg_sz);
    struct params theirs;
    side_write(fd, &mine, sizeof(mine));
    side_read(fd, &theirs, sizeof(theirs));
    judge->params = judge->side == 0 ? mine : theirs;
    judge->params.max_sge = least(mine.max_sge, theirs.max_sge);
    judge->params.max_inline = least(mine.max_inline, theirs.max_inline);
    judge->params.max_size = least(judge->params.max_size, judge->side == 0 ? theirs.max_size : judge->device.port.max_msg_sz);
}

static void make_read_area(struct judge *judge)
{
    size_t bytes = read_area_bytes(&judge->params) + 4096;
    if (posix_memalign((void **)&judge->read_area, 4096, bytes))
        die("out of memory");
    pattern_fill(judge->read_area, read_area_bytes(&judge->params), read_area_key(&judge->params, judge->side), 0);
    memset(judge->read_area + read_area_bytes(&judge->params), 0, 4096);
    judge->read_mr = ibv_reg_mr(judge->pd, judge->read_area, bytes,
                                IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
    if (!judge->read_mr)
        die_errno(errno, "ibv_reg_mr of the read area");
    judge->shared_limit = (uint64_t)judge->params.messages * judge->params.threads * judge->params.qps;
    judge->shared_seen = calloc(judge->shared_limit, 1);
    if (!judge->shared_seen)
        die("out of memory");
}

static uint32_t psn_of(const struct judge *judge, uint32_t index, int side)
{
    return (uint32_t)mix_of(judge->params.seed, 0x9543 + index, (uint64_t)side) & 0xffffff;
}

static struct rc_options options_of(const struct judge *judge, uint32_t index)
{
    static const uint8_t depths[] = {1, 2, 16};
    struct rc_options options = rc_default;
    options.rd_atomic = depths[mix_of(judge->params.seed, 0xdee9, index) % COUNT_OF(depths)];
    return options;
}

static struct remote address_of(const struct judge *judge, struct ibv_qp *qp, uint32_t index, const struct flow_qp *q)
{
    struct remote r = {.address = rc_address_of(&judge->device, qp, psn_of(judge, index, judge->side))};
    if (q) {
        r.banks = (uintptr_t)q->block;
        r.banks_rkey = q->mr[0]->rkey;
        r.counters = (uintptr_t)counters_of(q);
        r.counters_rkey = q->mr[1]->rkey;
        r.read_area = (uintptr_t)judge->read_area;
        r.read_rkey = judge->read_mr->rkey;
        r.shared = r.read_area + read_area_bytes(&judge->params);
    }
    return r;
}

#define CONTROL_INDEX(worker) (0x10000u + (worker))

static void connect_all(struct judge *judge, struct worker *workers, int fd)
{
    const struct params *params = &judge->params;
    for (uint32_t t = 0; t < params->threads; t++) {
        for (uint32_t i = 0; i < params->qps; i++) {
            struct flow_qp *q = &workers[t].qps[i];
            struct remote mine = address_of(judge, q->qp, q->index, q);
            side_write(fd, &mine, sizeof(mine));
        }
        struct remote mine = address_of(judge, workers[t].control, CONTROL_INDEX(t), NULL);
        side_write(fd, &mine, sizeof(mine));
    }
    for (uint32_t t = 0; t < params->threads; t++) {
        for (uint32_t i = 0; i < params->qps; i++) {
            struct flow_qp *q = &workers[t].qps[i];
            side_read(fd, &q->remote, sizeof(q->remote));
            struct rc_options options = options_of(judge, q->index);
            rc_connect(q->qp, &judge->device, psn_of(judge, q->index, judge->side), &q->remote.address, &options);
        }
        struct worker *w = &workers[t];
        side_read(fd, &w->control_remote, sizeof(w->control_remote));
        rc_connect(w->control, &judge->device, psn_of(judge, CONTROL_INDEX(t), judge->side), &w->control_remote.address, &rc_default);
    }
}

static void report_flows(const struct judge *judge, const struct worker *workers)
{
    for (uint32_t t = 0; t < judge->params.threads; t++)
        for (uint32_t i = 0; i < judge->params.qps; i++) {
            const struct flow_qp *q = &workers[t].qps[i];
            if (!flow_done(q))
                fprintf(stderr,
                        "  thread %u%s QP %u (0x%x): sent %llu messages, batches posted %u completed %u (+%u messages) credits %u; "
                        "incoming batches armed %u compared %u (+%u messages) credits owed %u\n",
                        t, workers[t].events ? " (events)" : "", q->index, q->qp->qp_num, (unsigned long long)q->out.planned,
                        q->out.posted, q->out.completed, q->out.next, q->out.credits, q->in.armed, q->in.compared, q->in.next,
                        q->in.owed);
        }
}

/* Waits for the threads; watches for a hang and for a peer that went away. */
static void join_all(struct judge *judge, struct worker *workers, pthread_t *threads, int fd)
{
    uint64_t last = 0;
    uint64_t since = now_ms();
    for (uint32_t t = 0; t < judge->params.threads; t++) {
        for (;;) {
            struct timespec until;
            clock_gettime(CLOCK_REALTIME, &until);
            until.tv_sec += 1;
            if (pthread_timedjoin_np(threads[t], NULL, &until) == 0)
                break;
            char byte;
            if (recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0) {
                report_flows(judge, workers);
                die("seed %llu: the peer closed the side channel (it failed or was killed)", (unsigned long long)judge->params.seed);
            }
            uint64_t progress = __atomic_load_n(&judge->progress, __ATOMIC_RELAXED);
            if (progress != last) {
                last = progress;
                since = now_ms();
            } else if (now_ms() - since > judge->params.timeout_s * 1000ull) {
                report_flows(judge, workers);
                die("seed %llu: no completion for %u s", (unsigned long long)judge->params.seed, judge->params.timeout_s);
            }
        }
    }
}

static void add_totals(struct totals *to, const struct totals *from)
{
    for (int op = 0; op < OP_KINDS; op++) {
        to->messages[op] += from->messages[op];
        to->bytes[op] += from->bytes[op];
    }
    to->unsignalled += from->unsignalled;
    to->inlined += from->inlined;
    to->fenced += from->fenced;
    to->sges += from->sges;
    to->receives += from->receives;
    to->events += from->events;
    to->by_wr_api += from->by_wr_api;
}

/* What one side sent the other must have received, and the shared counter must have counted every step once. */
static void compare_counts(struct judge *judge, const struct totals *sent, const struct totals *received, int fd)
{
    struct {
        struct totals sent;
        uint64_t shared;
    } mine = {.sent = *sent, .shared = judge->shared_posted}, theirs;
    side_write(fd, &mine, sizeof(mine));
    side_read(fd, &theirs, sizeof(theirs));
    for (int op = 0; op < OP_KINDS; op++)
        if (theirs.sent.messages[op] != received->messages[op] || theirs.sent.bytes[op] != received->bytes[op])
            die("seed %llu: the peer sent %llu %s of %llu bytes, %llu of %llu arrived", (unsigned long long)judge->params.seed,
                (unsigned long long)theirs.sent.messages[op], OP_NAMES[op], (unsigned long long)theirs.sent.bytes[op],
                (unsigned long long)received->messages[op], (unsigned long long)received->bytes[op]);
    uint64_t shared;
    memcpy(&shared, judge->read_area + read_area_bytes(&judge->params), 8);
    if (shared != theirs.shared)
        die("seed %llu: the shared counter is %llu after %llu additions", (unsigned long long)judge->params.seed,
            (unsigned long long)shared, (unsigned long long)theirs.shared);
    for (uint64_t i = 0; i < judge->shared_limit; i++)
        if (judge->shared_seen[i] != (i < judge->shared_posted))
            die("seed %llu: the shared counter of the peer answered %llu %d times", (unsigned long long)judge->params.seed,
                (unsigned long long)i, judge->shared_seen[i]);
    uint32_t bytes = read_area_bytes(&judge->params);
    uint8_t *expected = malloc(bytes);
    if (!expected)
        die("out of memory");
    pattern_fill(expected, bytes, read_area_key(&judge->params, judge->side), 0);
    if (memcmp(expected, judge->read_area, bytes) != 0)
        die("seed %llu: the area that is only read has changed", (unsigned long long)judge->params.seed);
    free(expected);
}

static void summary(const struct judge *judge, const struct totals *sent)
{
    uint64_t messages = 0;
    uint64_t bytes = 0;
    printf("ok seed %llu: sent", (unsigned long long)judge->params.seed);
    for (int op = 0; op < OP_KINDS; op++) {
        messages += sent->messages[op];
        bytes += sent->bytes[op];
        printf(" %s %llu", OP_NAMES[op], (unsigned long long)sent->messages[op]);
    }
    printf("\nok messages %llu bytes %llu SGEs %llu unsignalled %llu inline %llu fenced %llu receives %llu shared adds %llu events %llu by ibv_wr %llu\n",
           (unsigned long long)messages, (unsigned long long)bytes, (unsigned long long)sent->sges, (unsigned long long)sent->unsignalled,
           (unsigned long long)sent->inlined, (unsigned long long)sent->fenced, (unsigned long long)sent->receives,
           (unsigned long long)judge->shared_posted, (unsigned long long)sent->events, (unsigned long long)sent->by_wr_api);
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    static struct judge judge;
    judge.params = options.params;
    judge.side = options.server ? 1 : 0;
    judge.spoil = options.server ? SPOIL_NOTHING : options.spoil;
    snprintf(judge_name, sizeof(judge_name), "verbs_data %s", options.server ? "server" : "client");
    device_open(&judge.device, options.device, options.gid_index, 1);
    judge.pd = ibv_alloc_pd(judge.device.context);
    if (!judge.pd)
        die_errno(errno, "ibv_alloc_pd");
    int fd = options.server ? side_accept(options.host, options.port) : side_connect(options.host, options.port);
    agree(&judge, fd);
    const struct params *params = &judge.params;
    printf("seed %llu: %u messages per QP and direction, %u threads, %u QPs each, up to %u bytes, %u SGEs, inline %u\n",
           (unsigned long long)params->seed, params->messages, params->threads, params->qps, params->max_size, params->max_sge,
           params->max_inline);
    fflush(stdout);
    make_read_area(&judge);
    struct worker *workers = calloc(params->threads, sizeof(*workers));
    pthread_t *threads = calloc(params->threads, sizeof(*threads));
    if (!workers || !threads)
        die("out of memory");
    for (uint32_t t = 0; t < params->threads; t++)
        worker_create(&workers[t], &judge, t);
    connect_all(&judge, workers, fd);
    for (uint32_t t = 0; t < params->threads; t++)
        worker_arm(&workers[t]);
    side_meet(fd, 1);
    for (uint32_t t = 0; t < params->threads; t++)
        if (pthread_create(&threads[t], NULL, worker_run, &workers[t]))
            die("pthread_create");
    join_all(&judge, workers, threads, fd);
    side_meet(fd, 2);
    struct totals sent = {0};
    struct totals received = {0};
    for (uint32_t t = 0; t < params->threads; t++) {
        worker_settle(&workers[t]);
        add_totals(&sent, &workers[t].sent);
        add_totals(&received, &workers[t].received);
    }
    compare_counts(&judge, &sent, &received, fd);
    side_meet(fd, 3);
    for (uint32_t t = 0; t < params->threads; t++)
        worker_destroy(&workers[t]);
    int rc = ibv_dereg_mr(judge.read_mr);
    if (!rc)
        rc = ibv_dealloc_pd(judge.pd);
    if (rc)
        die_errno(rc, "destroying");
    device_close(&judge.device);
    summary(&judge, &sent);
    close(fd);
    return 0;
}
