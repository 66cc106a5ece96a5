/* SPDX-License-Identifier: Apache-2.0 */
#include "common.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

char judge_name[128] = "judge";

static void complain(const char *format, va_list arguments)
{
    flockfile(stderr);
    fflush(stdout);
    fprintf(stderr, "%s: FAIL: ", judge_name);
    vfprintf(stderr, format, arguments);
}

void die(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(format, arguments);
    fprintf(stderr, "\n");
    fflush(stderr);
    _exit(1);
}

void die_errno(int error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    complain(format, arguments);
    fprintf(stderr, ": %s (%s)\n", errno_name(error), strerror(error));
    fflush(stderr);
    _exit(1);
}

const char *errno_name(int error)
{
    static __thread char number[32];
    if (error == 0)
        return "0";
    const char *name = strerrorname_np(error);
    if (name)
        return name;
    snprintf(number, sizeof(number), "errno%d", error);
    return number;
}

static const char *const STATUS_NAMES[] = {
    [IBV_WC_SUCCESS] = "SUCCESS",
    [IBV_WC_LOC_LEN_ERR] = "LOC_LEN_ERR",
    [IBV_WC_LOC_QP_OP_ERR] = "LOC_QP_OP_ERR",
    [IBV_WC_LOC_EEC_OP_ERR] = "LOC_EEC_OP_ERR",
    [IBV_WC_LOC_PROT_ERR] = "LOC_PROT_ERR",
    [IBV_WC_WR_FLUSH_ERR] = "WR_FLUSH_ERR",
    [IBV_WC_MW_BIND_ERR] = "MW_BIND_ERR",
    [IBV_WC_BAD_RESP_ERR] = "BAD_RESP_ERR",
    [IBV_WC_LOC_ACCESS_ERR] = "LOC_ACCESS_ERR",
    [IBV_WC_REM_INV_REQ_ERR] = "REM_INV_REQ_ERR",
    [IBV_WC_REM_ACCESS_ERR] = "REM_ACCESS_ERR",
    [IBV_WC_REM_OP_ERR] = "REM_OP_ERR",
    [IBV_WC_RETRY_EXC_ERR] = "RETRY_EXC_ERR",
    [IBV_WC_RNR_RETRY_EXC_ERR] = "RNR_RETRY_EXC_ERR",
    [IBV_WC_REM_ABORT_ERR] = "REM_ABORT_ERR",
    [IBV_WC_FATAL_ERR] = "FATAL_ERR",
    [IBV_WC_RESP_TIMEOUT_ERR] = "RESP_TIMEOUT_ERR",
    [IBV_WC_GENERAL_ERR] = "GENERAL_ERR",
};

const char *status_name(enum ibv_wc_status status)
{
    if ((size_t)status < COUNT_OF(STATUS_NAMES) && STATUS_NAMES[status])
        return STATUS_NAMES[status];
    return "UNKNOWN_STATUS";
}

const char *opcode_name(enum ibv_wc_opcode opcode)
{
    switch (opcode) {
    case IBV_WC_SEND:
        return "SEND";
    case IBV_WC_RDMA_WRITE:
        return "RDMA_WRITE";
    case IBV_WC_RDMA_READ:
        return "RDMA_READ";
    case IBV_WC_COMP_SWAP:
        return "COMP_SWAP";
    case IBV_WC_FETCH_ADD:
        return "FETCH_ADD";
    case IBV_WC_RECV:
        return "RECV";
    case IBV_WC_RECV_RDMA_WITH_IMM:
        return "RECV_RDMA_WITH_IMM";
    default:
        return "OTHER_OPCODE";
    }
}

const char *state_name(enum ibv_qp_state state)
{
    static const char *const names[] = {"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR"};
    return (size_t)state < COUNT_OF(names) ? names[state] : "UNKNOWN";
}

uint64_t mix64(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t mix_of(uint64_t a, uint64_t b, uint64_t c)
{
    return mix64(mix64(mix64(a) ^ b) ^ c);
}

uint64_t rng_next(struct rng *rng)
{
    uint64_t out = mix64(rng->state);
    rng->state += 0x9e3779b97f4a7c15u;
    return out;
}

uint64_t rng_below(struct rng *rng, uint64_t bound)
{
    return bound == 0 ? 0 : rng_next(rng) % bound;
}

bool rng_percent(struct rng *rng, unsigned percent)
{
    return rng_below(rng, 100) < percent;
}

uint64_t seed_from_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return mix_of((uint64_t)t.tv_sec, (uint64_t)t.tv_nsec, (uint64_t)getpid()) >> 32;
}

uint64_t now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void pattern_fill(void *to, size_t length, uint64_t key, uint64_t offset)
{
    uint8_t *out = to;
    while (length > 0) {
        uint64_t word = mix64(key ^ (offset >> 3) * 0xd1342543de82ef95u);
        size_t skip = offset & 7;
        size_t n = 8 - skip < length ? 8 - skip : length;
        memcpy(out, (const uint8_t *)&word + skip, n);
        out += n;
        offset += n;
        length -= n;
    }
}

void device_open(struct judge_device *device, const char *name, int gid_index, uint8_t port_num)
{
    int count = 0;
    struct ibv_device **list = ibv_get_device_list(&count);
    if (!list)
        die_errno(errno, "ibv_get_device_list");
    struct ibv_device *found = NULL;
    for (int i = 0; i < count; i++)
        if (!name || strcmp(ibv_get_device_name(list[i]), name) == 0) {
            found = list[i];
            break;
        }
    if (!found)
        die("no device %s among %d", name ? name : "at all", count);
    device->context = ibv_open_device(found);
    if (!device->context)
        die_errno(errno, "ibv_open_device %s", ibv_get_device_name(found));
    ibv_free_device_list(list);
    device->gid_index = gid_index;
    device->port_num = port_num;
    int rc = ibv_query_device(device->context, &device->attr);
    if (rc)
        die_errno(rc, "ibv_query_device");
    rc = ibv_query_port(device->context, port_num, &device->port);
    if (rc)
        die_errno(rc, "ibv_query_port %u", port_num);
    if (ibv_query_gid(device->context, port_num, gid_index, &device->gid))
        die_errno(errno, "ibv_query_gid port %u index %d", port_num, gid_index);
}

void device_close(struct judge_device *device)
{
    if (ibv_close_device(device->context))
        die_errno(errno, "ibv_close_device");
    device->context = NULL;
}

const struct rc_options rc_default = {
    .access = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC,
    .rd_atomic = 16,
    .timeout = 18, /* a second: a machine that is busy with other things loses no connection */
    .retry_cnt = 7,
    .rnr_retry = 7,
    .min_rnr_timer = 1,
};

struct rc_address rc_address_of(const struct judge_device *device, const struct ibv_qp *qp, uint32_t psn)
{
    return (struct rc_address){
        .gid = device->gid,
        .qp_num = qp->qp_num,
        .psn = psn,
        .lid = device->port.lid,
        .mtu = device->port.active_mtu,
    };
}

int rc_init(struct ibv_qp *qp, const struct judge_device *device, const struct rc_options *options)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_INIT,
        .pkey_index = 0,
        .port_num = device->port_num,
        .qp_access_flags = options->access,
    };
    return ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS);
}

int rc_rtr(struct ibv_qp *qp, const struct judge_device *device, const struct rc_address *peer, const struct rc_options *options)
{
    uint32_t mtu = device->port.active_mtu < peer->mtu ? device->port.active_mtu : peer->mtu;
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_RTR,
        .path_mtu = (enum ibv_mtu)mtu,
        .dest_qp_num = peer->qp_num,
        .rq_psn = peer->psn,
        .max_dest_rd_atomic = options->rd_atomic,
        .min_rnr_timer = options->min_rnr_timer,
        .ah_attr =
            {
                .is_global = 1,
                .dlid = (uint16_t)peer->lid,
                .port_num = device->port_num,
                .grh = {.dgid = peer->gid, .sgid_index = (uint8_t)device->gid_index, .hop_limit = 64},
            },
    };
    return ibv_modify_qp(qp, &attr,
                         IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                             IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

int rc_rts(struct ibv_qp *qp, uint32_t psn, const struct rc_options *options)
{
    struct ibv_qp_attr attr = {
        .qp_state = IBV_QPS_RTS,
        .sq_psn = psn,
        .timeout = options->timeout,
        .retry_cnt = options->retry_cnt,
        .rnr_retry = options->rnr_retry,
        .max_rd_atomic = options->rd_atomic,
    };
    return ibv_modify_qp(qp, &attr,
                         IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
                             IBV_QP_MAX_QP_RD_ATOMIC);
}

void rc_connect(struct ibv_qp *qp, const struct judge_device *device, uint32_t psn, const struct rc_address *peer,
                const struct rc_options *options)
{
    int rc = rc_init(qp, device, options);
    if (rc)
        die_errno(rc, "QP 0x%x to INIT", qp->qp_num);
    rc = rc_rtr(qp, device, peer, options);
    if (rc)
        die_errno(rc, "QP 0x%x to RTR", qp->qp_num);
    rc = rc_rts(qp, psn, options);
    if (rc)
        die_errno(rc, "QP 0x%x to RTS", qp->qp_num);
}

static void no_delay(int fd)
{
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
}

static struct addrinfo *resolve(const char *host, int port, int flags)
{
    char service[16];
    snprintf(service, sizeof(service), "%d", port);
    struct addrinfo hints = {.ai_family = host ? AF_UNSPEC : AF_INET6, .ai_socktype = SOCK_STREAM, .ai_flags = flags};
    struct addrinfo *found = NULL;
    int rc = getaddrinfo(host, service, &hints, &found);
    if (rc && !host) {
        hints.ai_family = AF_INET;
        rc = getaddrinfo(host, service, &hints, &found);
    }
    if (rc)
        die("address %s: %s", host ? host : "any", gai_strerror(rc));
    return found;
}

int side_accept(const char *host, int port)
{
    struct addrinfo *address = resolve(host, port, AI_PASSIVE);
    int listener = socket(address->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0)
        die_errno(errno, "socket");
    int on = 1;
    int off = 0;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (address->ai_family == AF_INET6)
        setsockopt(listener, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off));
    if (bind(listener, address->ai_addr, address->ai_addrlen) || listen(listener, 4))
        die_errno(errno, "listen on port %d", port);
    freeaddrinfo(address);
    printf("listening on port %d\n", port);
    fflush(stdout);
    int fd = accept(listener, NULL, NULL);
    if (fd < 0)
        die_errno(errno, "accept");
    close(listener);
    no_delay(fd);
    return fd;
}

int side_connect(const char *host, int port)
{
    uint64_t until = now_ms() + 20000;
    for (;;) {
        struct addrinfo *address = resolve(host, port, 0);
        int error = 0;
        for (struct addrinfo *a = address; a; a = a->ai_next) {
            int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
            if (fd >= 0 && connect(fd, a->ai_addr, a->ai_addrlen) == 0) {
                freeaddrinfo(address);
                no_delay(fd);
                return fd;
            }
            error = errno;
            if (fd >= 0)
                close(fd);
        }
        freeaddrinfo(address);
        if (now_ms() > until)
            die_errno(error, "connect to %s port %d", host, port);
        struct timespec pause = {.tv_nsec = 20000000};
        nanosleep(&pause, NULL);
    }
}

void side_write(int fd, const void *data, size_t length)
{
    const char *from = data;
    while (length > 0) {
        ssize_t n = send(fd, from, length, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            die_errno(errno, "side channel: write");
        from += n;
        length -= (size_t)n;
    }
}

bool side_try_read(int fd, void *data, size_t length)
{
    char *to = data;
    size_t done = 0;
    while (done < length) {
        ssize_t n = recv(fd, to + done, length - done, 0);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0 && !(errno == ECONNRESET && done == 0))
            die_errno(errno, "side channel: read");
        if (n <= 0) {
            if (done == 0)
                return false;
            die("side channel: closed by the peer in the middle of a record");
        }
        done += (size_t)n;
    }
    return true;
}

void side_read(int fd, void *data, size_t length)
{
    if (!side_try_read(fd, data, length))
        die("side channel: closed by the peer (it failed or was killed)");
}

void side_meet(int fd, uint32_t tag)
{
    uint32_t other = 0;
    side_write(fd, &tag, sizeof(tag));
    side_read(fd, &other, sizeof(other));
    if (other != tag)
        die("side channel: peer is at step %u, this side at %u", other, tag);
}

uint64_t parse_number(const char *option, const char *text)
{
    char *end = NULL;
    errno = 0;
    uint64_t value = strtoull(text, &end, 0);
    if (end && (*end == 'k' || *end == 'K')) {
        value <<= 10;
        end++;
    } else if (end && (*end == 'm' || *end == 'M')) {
        value <<= 20;
        end++;
    }
    if (errno || !end || end == text || *end != '\0' || text[0] == '-')
        die("option %s: %s is not a number", option, text);
    return value;
}
