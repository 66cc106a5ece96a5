/* SPDX-License-Identifier: Apache-2.0
 * verbs_errno: what the device answers to every rule of the verbs, compared with pinned answers.
 *
 * The expectation file has one line per case: "name answer", or "name answer | other answer" where the second is what
 * Linux rxe says and the first what its man page or the IBTA text demands; `--rxe` accepts the second. '#' starts a comment. */
#include "errno_judge.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_CASES 2000
#define NAME_BYTES 96
#define ANSWER_BYTES 400

struct answer {
    char name[NAME_BYTES];
    char text[ANSWER_BYTES];
    bool met;
};

static struct answer answers[MAX_CASES];
static unsigned answer_count;
static const char *only;
static bool quiet;

void report(const char *name, const char *format, ...)
{
    if (only && strncmp(name, only, strlen(only)) != 0)
        return;
    if (answer_count == MAX_CASES)
        die("more than %d cases", MAX_CASES);
    struct answer *answer = &answers[answer_count++];
    snprintf(answer->name, sizeof(answer->name), "%s", name);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(answer->text, sizeof(answer->text), format, arguments);
    va_end(arguments);
    if (!quiet) {
        printf("%s %s\n", answer->name, answer->text);
        fflush(stdout);
    }
}

const char *case_name(const char *format, ...)
{
    static char buffers[4][NAME_BYTES];
    static unsigned next;
    char *buffer = buffers[next++ % 4];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, NAME_BYTES, format, arguments);
    va_end(arguments);
    return buffer;
}

bool group_wanted(const char *group)
{
    if (!only)
        return true;
    size_t shorter = strlen(only) < strlen(group) ? strlen(only) : strlen(group);
    return strncmp(only, group, shorter) == 0;
}

static struct answer *find_answer(const char *name)
{
    for (unsigned i = 0; i < answer_count; i++)
        if (strcmp(answers[i].name, name) == 0)
            return &answers[i];
    return NULL;
}

static char *trim(char *text)
{
    while (*text == ' ' || *text == '\t')
        text++;
    size_t length = strlen(text);
    while (length > 0 && strchr(" \t\r\n", text[length - 1]))
        text[--length] = '\0';
    return text;
}

static int compare(const char *path, bool rxe)
{
    FILE *file = fopen(path, "r");
    if (!file)
        die_errno(errno, "%s", path);
    char line[1024];
    unsigned different = 0;
    unsigned same = 0;
    for (unsigned number = 1; fgets(line, sizeof(line), file); number++) {
        char *comment = strchr(line, '#');
        if (comment)
            *comment = '\0';
        char *name = trim(line);
        if (*name == '\0')
            continue;
        char *space = strpbrk(name, " \t");
        if (!space)
            die("%s:%u: a name without an answer", path, number);
        *space = '\0';
        char *expected = trim(space + 1);
        char *other = strchr(expected, '|');
        if (other) {
            *other = '\0';
            expected = trim(expected);
            other = trim(other + 1);
        }
        if (rxe && other)
            expected = other;
        if (only && strncmp(name, only, strlen(only)) != 0)
            continue;
        struct answer *answer = find_answer(name);
        if (answer)
            answer->met = true;
        if (answer && strcmp(answer->text, expected) == 0) {
            same++;
        } else {
            different++;
            printf("DIFFERENT %s\n  expected %s\n  answered %s\n", name, expected, answer ? answer->text : "(case did not run)");
        }
    }
    fclose(file);
    for (unsigned i = 0; i < answer_count; i++)
        if (!answers[i].met) {
            different++;
            printf("DIFFERENT %s\n  expected (not in the file)\n  answered %s\n", answers[i].name, answers[i].text);
        }
    printf("%u cases as expected, %u different\n", same, different);
    return different == 0 && same > 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
    const char *device_name = NULL;
    const char *expect = NULL;
    int gid_index = 0;
    bool rxe = false;
    enum { OPT_EXPECT = 256, OPT_ONLY, OPT_RXE, OPT_QUIET };
    static const struct option options[] = {
        {"expect", required_argument, NULL, OPT_EXPECT},
        {"only", required_argument, NULL, OPT_ONLY},
        {"rxe", no_argument, NULL, OPT_RXE},
        {"quiet", no_argument, NULL, OPT_QUIET},
        {0},
    };
    int option;
    while ((option = getopt_long(argc, argv, "d:g:", options, NULL)) != -1) {
        switch (option) {
        case 'd':
            device_name = optarg;
            break;
        case 'g':
            gid_index = (int)parse_number("-g", optarg);
            break;
        case OPT_EXPECT:
            expect = optarg;
            break;
        case OPT_ONLY:
            only = optarg;
            break;
        case OPT_RXE:
            rxe = true;
            break;
        case OPT_QUIET:
            quiet = true;
            break;
        default:
            fprintf(stderr, "usage: verbs_errno -d DEV -g GIDX [--expect FILE [--rxe]] [--only PREFIX] [--quiet]\n");
            return 2;
        }
    }
    snprintf(judge_name, sizeof(judge_name), "verbs_errno");
    static struct judge_device device;
    device_open(&device, device_name, gid_index, 1);
    static const struct {
        const char *group;
        void (*run)(struct judge_device *device);
    } groups[] = {
        {"modify", modify_cases},  {"query", query_cases},         {"post", post_cases},   {"mr", memory_cases},
        {"object", object_cases}, {"wc", completion_cases}, {"flush", flush_cases}, {"event", event_cases},
    };
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        if (group_wanted(groups[i].group))
            groups[i].run(&device);
    device_close(&device);
    return expect ? compare(expect, rxe) : 0;
}
