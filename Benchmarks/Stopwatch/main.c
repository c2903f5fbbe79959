// Runs one command and measures it: `stopwatch FILE COMMAND [ARGUMENT…]`.
//
// FILE gets the wall time in nanoseconds, the CPU time (user and system) in microseconds, and the peak memory in KiB,
// including children that the command waited for. This program has to be small: until a child executes another program,
// its peak counts the memory of its parent.
#define _GNU_SOURCE
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long long microseconds(struct timeval time) {
    return time.tv_sec * 1000000LL + time.tv_usec;
}

int main(int count, char **arguments) {
    if (count < 3) {
        fputs("stopwatch FILE COMMAND [ARGUMENT…]\n", stderr);
        return 64;
    }
    pid_t child;
    int status;
    struct rusage usage;
    long long start = nanoseconds();
    int refusal = posix_spawnp(&child, arguments[2], NULL, NULL, arguments + 2, environ);
    if (refusal != 0) {
        fprintf(stderr, "stopwatch: %s: %s\n", arguments[2], strerror(refusal));
        return 127;
    }
    if (wait4(child, &status, 0, &usage) != child) {
        perror("stopwatch: wait4");
        return 1;
    }
    long long wall = nanoseconds() - start;

    FILE *file = fopen(arguments[1], "w");
    if (file == NULL) {
        perror(arguments[1]);
        return 1;
    }
    fprintf(file, "%lld %lld %ld\n", wall, microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
            usage.ru_maxrss);
    if (fclose(file) != 0) {
        perror(arguments[1]);
        return 1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
