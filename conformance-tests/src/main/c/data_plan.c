/* SPDX-License-Identifier: Apache-2.0
 * What each batch holds, as a function of (seed, direction, QP, batch), and the memory that it must leave. */
#include "data_judge.h"

#include <string.h>

#define PIECE_GAP 64u
/* More than the gaps of one message can take on one side. */
#define MESSAGE_OVERHEAD (2u * MAX_SGES * PIECE_GAP)

const char *const OP_NAMES[OP_KINDS] = {"send", "send_imm", "write", "write_imm", "read", "fetch_add", "cmp_swap"};

uint32_t bank_bytes(const struct params *params)
{
    return (params->max_size + BANK_SLACK + 4095) & ~4095u;
}

uint32_t read_area_bytes(const struct params *params)
{
    return (params->max_size + 8192 + 4095) & ~4095u;
}

uint64_t read_area_key(const struct params *params, int side)
{
    return mix_of(params->seed, 0x5ead, (uint64_t)side);
}

uint64_t guard_key(uint32_t qp, int side)
{
    return mix_of(0x90a2d, qp, (uint64_t)side);
}

bool consumes_receive(const struct message *message)
{
    return message->op == OP_SEND || message->op == OP_SEND_IMM || message->op == OP_WRITE_IMM;
}

bool is_atomic(const struct message *message)
{
    return message->op == OP_FETCH_ADD || message->op == OP_CMP_SWAP;
}

static uint32_t random_size(struct rng *rng, uint32_t max)
{
    unsigned bits = 0;
    while (bits < 31 && (1u << bits) < max)
        bits++;
    switch (rng_below(rng, 20)) {
    case 0:
        return 0;
    case 1:
        return max;
    case 2: /* around the packet sizes */
        return (uint32_t)(rng_below(rng, 64) * 1024 + rng_below(rng, 3)) % (max + 1);
    default: {
        uint64_t size = rng_below(rng, (1ull << rng_below(rng, bits + 1)) + 1);
        return size > max ? max : (uint32_t)size;
    }
    }
}

/* Cuts length into up to max_sge pieces, puts them into the bank in random order with gaps, and moves the cursor. */
static uint32_t scatter(struct rng *rng, uint32_t length, uint32_t max_sge, uint32_t *cursor, struct piece *pieces)
{
    uint32_t count = rng_percent(rng, 40) ? 1 : 1 + (uint32_t)rng_below(rng, max_sge);
    if (length == 0)
        count = (uint32_t)rng_below(rng, 3);
    if (count > max_sge)
        count = max_sge;
    uint32_t cuts[MAX_SGES + 1];
    cuts[0] = 0;
    for (uint32_t i = 1; i < count; i++)
        cuts[i] = (uint32_t)rng_below(rng, (uint64_t)length + 1);
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t j = i; j > 1 && cuts[j] < cuts[j - 1]; j--) {
            uint32_t t = cuts[j];
            cuts[j] = cuts[j - 1];
            cuts[j - 1] = t;
        }
    cuts[count] = length;
    uint32_t order[MAX_SGES];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t j = (uint32_t)rng_below(rng, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct piece *piece = &pieces[order[i]];
        *cursor += 1 + (uint32_t)rng_below(rng, PIECE_GAP - 1);
        piece->offset = *cursor;
        piece->length = cuts[order[i] + 1] - cuts[order[i]];
        piece->key = (uint32_t)rng_below(rng, 2);
        *cursor += piece->length;
    }
    return count;
}

static int find_ref(struct rng *rng, const struct plan *plan, enum op op, bool unsealed, bool not_overlaid)
{
    uint32_t start = (uint32_t)rng_below(rng, plan->count);
    for (uint32_t n = 0; n < plan->count; n++) {
        uint32_t i = (start + n) % plan->count;
        const struct message *m = &plan->messages[i];
        if (m->op == op && m->shape == PLAIN && m->size > 0 && !(unsealed && m->sealed) && !(not_overlaid && m->overlaid))
            return (int)i;
    }
    return -1;
}

static enum op random_op(struct rng *rng, bool last)
{
    static const enum op notifying[] = {OP_SEND, OP_SEND_IMM, OP_WRITE_IMM};
    static const enum op any[] = {OP_SEND, OP_SEND_IMM, OP_WRITE,     OP_WRITE,     OP_WRITE,   OP_WRITE_IMM,
                                  OP_READ, OP_READ,     OP_FETCH_ADD, OP_FETCH_ADD, OP_CMP_SWAP};
    return last ? notifying[rng_below(rng, COUNT_OF(notifying))] : any[rng_below(rng, COUNT_OF(any))];
}

static void make_atomic(struct rng *rng, struct message *m, uint64_t model[COUNTERS])
{
    m->size = 8;
    m->target = (uint32_t)rng_below(rng, COUNTERS);
    uint64_t *value = &model[m->target];
    m->old = *value;
    if (m->op == OP_CMP_SWAP) {
        bool matches = rng_percent(rng, 60);
        m->compare_add = matches ? *value : *value ^ (1ull << rng_below(rng, 64));
        m->swap = rng_next(rng);
        if (matches)
            *value = m->swap;
    } else if (rng_percent(rng, 40)) {
        m->shape = SHARED;
        m->compare_add = 1;
    } else {
        m->compare_add = rng_next(rng);
        *value += m->compare_add;
    }
}

static void make_message(struct rng *rng, const struct params *params, struct plan *plan, uint64_t model[COUNTERS], bool last)
{
    struct message *m = &plan->messages[plan->count];
    uint32_t bank = bank_bytes(params);
    uint32_t used = plan->source_used > plan->target_used ? plan->source_used : plan->target_used;
    uint32_t room = used + MESSAGE_OVERHEAD + 64 > bank ? 0 : bank - used - MESSAGE_OVERHEAD - 64;
    uint32_t max_sge = params->max_sge;
    m->op = random_op(rng, last);
    int ref = -1;
    if (is_atomic(m)) {
        make_atomic(rng, m, model);
    } else {
        m->size = random_size(rng, params->max_size);
        if (m->size > room)
            m->size = (uint32_t)rng_below(rng, room + 1);
        if (plan->count > 0 && m->op == OP_WRITE && rng_percent(rng, 30) &&
            (ref = find_ref(rng, plan, OP_WRITE, true, false)) >= 0) {
            struct message *under = &plan->messages[ref];
            m->shape = OVERLAY;
            m->ref = (uint32_t)ref;
            m->ref_offset = (uint32_t)rng_below(rng, under->size);
            m->size = (uint32_t)rng_below(rng, under->size - m->ref_offset + 1);
            if (m->size > room)
                m->size = room;
            under->overlaid = true;
            m->overlaid = true;
        } else if (plan->count > 0 && m->op == OP_READ && rng_percent(rng, 40) &&
                   (ref = find_ref(rng, plan, OP_WRITE, false, true)) >= 0) {
            struct message *written = &plan->messages[ref];
            m->shape = READBACK;
            m->ref = (uint32_t)ref;
            m->ref_offset = (uint32_t)rng_below(rng, written->size);
            m->size = (uint32_t)rng_below(rng, written->size - m->ref_offset + 1);
            if (m->size > room)
                m->size = room;
            written->sealed = true;
        } else if (plan->count > 0 && m->op != OP_READ && rng_percent(rng, 30) &&
                   (ref = find_ref(rng, plan, OP_READ, false, false)) >= 0 && plan->messages[ref].size <= room) {
            m->shape = FORWARD;
            m->ref = (uint32_t)ref;
            m->size = plan->messages[ref].size;
            m->fenced = true;
        }
    }
    m->imm = (uint32_t)rng_next(rng);
    m->signalled = last || rng_percent(rng, 40);
    m->fenced = m->fenced || rng_percent(rng, 8);
    /* The last message lets the receiver use the bank again: an earlier READ of it must be over (IBTA 10.8.3.3: a later Send waits
     * for an earlier READ only when it is fenced). */
    for (uint32_t i = 0; last && i < plan->count; i++)
        m->fenced |= plan->messages[i].shape == READBACK;
    m->solicited = last || rng_percent(rng, 30);
    bool may_inline = m->op != OP_READ && !is_atomic(m) && m->shape != FORWARD && m->size <= params->max_inline;
    m->inlined = may_inline && rng_percent(rng, 60);

    if (m->shape == FORWARD) {
        const struct message *read = &plan->messages[m->ref];
        m->source_count = read->source_count;
        memcpy(m->source, read->source, sizeof(m->source));
    } else if (m->inlined) { /* from memory that belongs to no MR: the pieces only say how it is cut */
        uint32_t cursor = 0;
        m->source_count = scatter(rng, m->size, max_sge < 4 ? max_sge : 4, &cursor, m->source);
    } else {
        m->source_count = scatter(rng, m->size, is_atomic(m) ? 1 : max_sge, &plan->source_used, m->source);
    }
    if (m->op == OP_WRITE || m->op == OP_WRITE_IMM) {
        if (m->shape == OVERLAY) {
            m->target = plan->messages[m->ref].target + m->ref_offset;
        } else {
            plan->target_used += 1 + (uint32_t)rng_below(rng, PIECE_GAP);
            m->target = plan->target_used;
            plan->target_used += m->size;
        }
    } else if (m->op == OP_READ && m->shape == PLAIN) {
        m->target = (uint32_t)rng_below(rng, read_area_bytes(params) - m->size + 1);
    } else if (m->op == OP_READ) {
        m->target = plan->messages[m->ref].target + m->ref_offset;
    }
    if (consumes_receive(m)) {
        uint32_t capacity = m->op == OP_WRITE_IMM ? (uint32_t)rng_below(rng, 100) : m->size;
        if (m->op != OP_WRITE_IMM && rng_percent(rng, 50))
            capacity += (uint32_t)rng_below(rng, 200);
        m->receive_count = scatter(rng, capacity, max_sge, &plan->target_used, m->receive);
    }
}

void plan_make(const struct params *params, int direction, uint32_t qp, uint32_t batch, uint64_t first_number,
               uint64_t model[COUNTERS], struct plan *plan)
{
    uint64_t flow_seed = mix_of(params->seed, (uint64_t)direction + 1, qp);
    struct rng rng = {mix_of(flow_seed, 0xba7c4, batch)};
    uint64_t left = params->messages - first_number;
    uint32_t wanted = 1 + (uint32_t)rng_below(&rng, MAX_BATCH);
    uint32_t count = wanted < left ? wanted : (uint32_t)left;
    plan->count = 0;
    plan->source_used = 0;
    plan->target_used = 0;
    while (plan->count < count) {
        struct message *m = &plan->messages[plan->count];
        memset(m, 0, sizeof(*m));
        m->number = first_number + plan->count;
        m->key = mix_of(flow_seed, 0xda7a, m->number);
        m->wr_id = mix_of(flow_seed, 0x5e4d, m->number);
        m->receive_wr_id = mix_of(flow_seed, 0x4ece, m->number);
        uint32_t used = plan->source_used > plan->target_used ? plan->source_used : plan->target_used;
        bool full = used + 3 * MESSAGE_OVERHEAD > bank_bytes(params);
        if (full)
            count = plan->count + 1;
        make_message(&rng, params, plan, model, plan->count == count - 1);
        plan->count++;
    }
    if (plan->source_used > bank_bytes(params) || plan->target_used > bank_bytes(params))
        die("the plan of QP %u batch %u does not fit its bank", qp, batch);
}

void message_bytes(const struct params *params, int direction, const struct plan *plan, uint32_t i, uint8_t *out)
{
    const struct message *m = &plan->messages[i];
    if (is_atomic(m)) {
        memcpy(out, &m->old, 8);
    } else if (m->shape == READBACK) {
        pattern_fill(out, m->size, plan->messages[m->ref].key, m->ref_offset);
    } else if (m->op == OP_READ) {
        pattern_fill(out, m->size, read_area_key(params, !direction), m->target);
    } else if (m->shape == FORWARD) {
        message_bytes(params, direction, plan, m->ref, out);
    } else {
        pattern_fill(out, m->size, m->key, 0);
    }
}

static void spread(uint8_t *bank, const struct piece *pieces, uint32_t count, const uint8_t *bytes, uint32_t size)
{
    for (uint32_t i = 0; i < count && size > 0; i++) {
        uint32_t n = pieces[i].length < size ? pieces[i].length : size;
        memcpy(bank + pieces[i].offset, bytes, n);
        bytes += n;
        size -= n;
    }
}

void source_image(const struct params *params, int direction, const struct plan *plan, uint64_t guard, uint8_t *out, uint8_t *scratch)
{
    pattern_fill(out, plan->source_used, guard, 0);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct message *m = &plan->messages[i];
        if (m->inlined || m->shape == FORWARD)
            continue;
        message_bytes(params, direction, plan, i, scratch);
        spread(out, m->source, m->source_count, scratch, m->size);
    }
}

void target_image(const struct params *params, int direction, const struct plan *plan, uint64_t guard, uint8_t *out, uint8_t *scratch)
{
    pattern_fill(out, plan->target_used, guard, 0);
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct message *m = &plan->messages[i];
        if (m->op == OP_READ || is_atomic(m))
            continue;
        message_bytes(params, direction, plan, i, scratch);
        if (m->op == OP_WRITE || m->op == OP_WRITE_IMM)
            memcpy(out + m->target, scratch, m->size);
        else
            spread(out, m->receive, m->receive_count, scratch, m->size);
    }
}

int message_at(const struct plan *plan, uint32_t offset, bool source)
{
    int found = -1;
    for (uint32_t i = 0; i < plan->count; i++) {
        const struct message *m = &plan->messages[i];
        const struct piece *pieces = source ? m->source : m->receive;
        uint32_t count = source ? (m->inlined ? 0 : m->source_count) : m->receive_count;
        for (uint32_t p = 0; p < count; p++)
            if (offset >= pieces[p].offset && offset < pieces[p].offset + pieces[p].length)
                found = (int)i;
        if (!source && (m->op == OP_WRITE || m->op == OP_WRITE_IMM) && offset >= m->target && offset < m->target + m->size)
            found = (int)i;
    }
    return found;
}
