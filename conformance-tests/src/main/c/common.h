/* SPDX-License-Identifier: Apache-2.0
 * What every judge program shares: failure, seeded numbers, the device, the TCP side channel, RC set-up. */
#ifndef METAROCE_JUDGE_COMMON_H
#define METAROCE_JUDGE_COMMON_H

#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

/* ---- failure ---- */

/* Prefix of every failure line, for example "verbs_data: seed 17". */
extern char judge_name[128];

void die(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));
void die_errno(int error, const char *format, ...) __attribute__((noreturn, format(printf, 2, 3)));

/* "EINVAL", or a number in a static buffer. */
const char *errno_name(int error);
/* "SUCCESS", "REM_ACCESS_ERR", ... */
const char *status_name(enum ibv_wc_status status);
const char *opcode_name(enum ibv_wc_opcode opcode);
const char *state_name(enum ibv_qp_state state);

/* ---- seeded numbers ---- */

struct rng {
    uint64_t state;
};

uint64_t mix64(uint64_t x);
uint64_t mix_of(uint64_t a, uint64_t b, uint64_t c);
uint64_t rng_next(struct rng *rng);
/* Uniform in 0..bound-1; bound 0 answers 0. */
uint64_t rng_below(struct rng *rng, uint64_t bound);
/* True with the given chance out of 100. */
bool rng_percent(struct rng *rng, unsigned percent);
uint64_t seed_from_clock(void);
uint64_t now_ms(void);

/* Bytes of an endless stream named by key; offset is the place of the first byte in it. */
void pattern_fill(void *to, size_t length, uint64_t key, uint64_t offset);

/* ---- device ---- */

struct judge_device {
    struct ibv_context *context;
    struct ibv_device_attr attr;
    struct ibv_port_attr port;
    union ibv_gid gid;
    int gid_index;
    uint8_t port_num;
};

/* Opens the named device (NULL: the first one) or dies. */
void device_open(struct judge_device *device, const char *name, int gid_index, uint8_t port_num);
void device_close(struct judge_device *device);

/* ---- RC queue pairs ---- */

struct rc_address {
    union ibv_gid gid;
    uint32_t qp_num;
    uint32_t psn;
    uint32_t lid;
    uint32_t mtu;
};

struct rc_options {
    unsigned access;
    uint8_t rd_atomic;
    uint8_t timeout;
    uint8_t retry_cnt;
    uint8_t rnr_retry;
    uint8_t min_rnr_timer;
};

extern const struct rc_options rc_default;

struct rc_address rc_address_of(const struct judge_device *device, const struct ibv_qp *qp, uint32_t psn);
int rc_init(struct ibv_qp *qp, const struct judge_device *device, const struct rc_options *options);
int rc_rtr(struct ibv_qp *qp, const struct judge_device *device, const struct rc_address *peer, const struct rc_options *options);
int rc_rts(struct ibv_qp *qp, uint32_t psn, const struct rc_options *options);
/* Init, RTR and RTS, or dies. */
void rc_connect(struct ibv_qp *qp, const struct judge_device *device, uint32_t psn, const struct rc_address *peer,
                const struct rc_options *options);

/* ---- side channel ---- */

/* Listens on the port, prints "listening" once ready, answers the accepted socket. host may be NULL. */
int side_accept(const char *host, int port);
/* Connects, and tries again for up to 20 s while the server is not there. */
int side_connect(const char *host, int port);
void side_write(int fd, const void *data, size_t length);
void side_read(int fd, void *data, size_t length);
/* False when the peer closed the channel before the first byte. */
bool side_try_read(int fd, void *data, size_t length);
/* Both sides call it; it returns when both have. */
void side_meet(int fd, uint32_t tag);

/* Reads a non-negative number or dies naming the option. */
uint64_t parse_number(const char *option, const char *text);

#endif
