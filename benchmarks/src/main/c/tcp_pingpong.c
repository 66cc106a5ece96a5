/*
 * A TCP ping-pong of 8-byte messages that polls its sockets without ever sleeping: what a program can have from the kernel
 * without RDMA. Both ends set TCP_NODELAY and spin on non-blocking sockets.
 *
 *   tcp_pingpong PORT                    server: one connection, then ends
 *   tcp_pingpong PORT ADDRESS MESSAGES   client: prints percentiles of half the round trip in microseconds
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE_BYTES 8
#define WARM_UP 2000

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static uint64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Returns 0 when the peer has closed. */
static int receive(int fd, char *buffer) {
    size_t got = 0;
    while (got < MESSAGE_BYTES) {
        ssize_t n = recv(fd, buffer + got, MESSAGE_BYTES - got, MSG_DONTWAIT);
        if (n == 0) {
            return 0;
        }
        if (n < 0) {
            if (errno != EAGAIN && errno != EINTR) {
                fail("recv");
            }
            continue;
        }
        got += (size_t)n;
    }
    return 1;
}

static void send_message(int fd, const char *buffer) {
    size_t sent = 0;
    while (sent < MESSAGE_BYTES) {
        ssize_t n = send(fd, buffer + sent, MESSAGE_BYTES - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n < 0) {
            if (errno != EAGAIN && errno != EINTR) {
                fail("send");
            }
            continue;
        }
        sent += (size_t)n;
    }
}

static void no_delay(int fd) {
    int one = 1;
    if (setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) != 0) {
        fail("TCP_NODELAY");
    }
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void serve(struct sockaddr_in *address) {
    char buffer[MESSAGE_BYTES];
    int one = 1;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    if (listener < 0 || setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one) != 0
        || bind(listener, (struct sockaddr *)address, sizeof *address) != 0 || listen(listener, 1) != 0) {
        fail("listen");
    }
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) {
        fail("accept");
    }
    no_delay(fd);
    while (receive(fd, buffer)) {
        send_message(fd, buffer);
    }
}

static void call(struct sockaddr_in *address, size_t messages) {
    char buffer[MESSAGE_BYTES] = "pingpong";
    uint64_t *round_trip_ns = calloc(messages, sizeof *round_trip_ns);
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (round_trip_ns == NULL || fd < 0) {
        fail("client");
    }
    if (connect(fd, (struct sockaddr *)address, sizeof *address) != 0) {
        fail("connect");
    }
    no_delay(fd);
    for (size_t i = 0; i < WARM_UP + messages; i++) {
        uint64_t start_ns = now_ns();
        send_message(fd, buffer);
        if (!receive(fd, buffer)) {
            fprintf(stderr, "the server closed the connection\n");
            exit(1);
        }
        if (i >= WARM_UP) {
            round_trip_ns[i - WARM_UP] = now_ns() - start_ns;
        }
    }
    qsort(round_trip_ns, messages, sizeof *round_trip_ns, compare);
    const double percentiles[] = {50, 99, 99.9};
    for (size_t i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        size_t at = (size_t)((double)(messages - 1) * percentiles[i] / 100);
        printf("p%g %.2f\n", percentiles[i], (double)round_trip_ns[at] / 2000);
    }
}

int main(int argc, char **argv) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    long messages = argc == 4 ? strtol(argv[3], NULL, 10) : 1;
    if ((argc != 2 && argc != 4) || messages < 1) {
        fprintf(stderr, "usage: tcp_pingpong PORT [ADDRESS MESSAGES]\n");
        return 2;
    }
    address.sin_port = htons((uint16_t)strtol(argv[1], NULL, 10));
    if (argc == 2) {
        serve(&address);
        return 0;
    }
    if (inet_pton(AF_INET, argv[2], &address.sin_addr) != 1) {
        fprintf(stderr, "not an IPv4 address: %s\n", argv[2]);
        return 2;
    }
    call(&address, (size_t)messages);
    return 0;
}
