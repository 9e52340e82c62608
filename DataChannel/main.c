// SPDX-License-Identifier: Apache-2.0

#include "datachannel.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "usage: countersign-datachannel [--check]\n"
    "\n"
    "Keeps one WebRTC data channel for the program that starts it, which speaks lines of JSON\n"
    "with it (Docs/datachannel-stdio.md). \"countersign liquid connect\" starts it.\n"
    "\n"
    "  --check  say whether what it needs of GStreamer is there, and end\n"
    "\n"
    "example: countersign-datachannel --check\n";

static bool take(json_t *line) {
    const char *problem = channel_take(line);
    if (!problem) return true;
    output_put(json_pack("{s:s, s:s}", "type", "error", "message", problem));
    output_finish(exit_data);
}

static void ended(const char *problem) {
    if (!problem) return channel_end("the program that asked for it has gone");
    output_put(json_pack("{s:s, s:s}", "type", "error", "message", problem));
    output_finish(exit_data);
}

static void put_ready(struct guard_state state) {
    json_t *files = state.files > 0 ? json_sprintf("Landlock %d", state.files) : json_null();
    json_t *calls = state.calls ? json_string("seccomp") : json_null();
    output_put(json_pack(
        "{s:s, s:i, s:{s:o, s:o}, s:{s:i, s:i, s:i, s:[s, s]}}", "type", "ready", "version", 1,
        "sandbox", "files", files, "calls", calls, "limits", "threads", threads_max, "memory",
        memory_bytes_max, "descriptors", descriptors_max, "sockets", "udp", "tcp"));
}

// Prints the lines after "ready", which `countersign doctor` shows.
static void say_bounds(struct guard_state state) {
    if (state.files > 0) printf("system calls: seccomp, files: Landlock %d\n", state.files);
    else puts("system calls: seccomp, files: not bound (no Landlock here)");
    printf(
        "at most %d threads, %d MiB, %d descriptors\n", threads_max, memory_bytes_max >> 20,
        descriptors_max);
    puts("sockets: UDP and TCP, none that listens");
}

int main(int count, char **words) {
    bool checks = count == 2 && strcmp(words[1], "--check") == 0;
    if (count == 2 && strcmp(words[1], "--help") == 0) {
        fputs(usage, stdout);
        return exit_done;
    }
    if (count > 1 && !checks) {
        fputs("error: unknown arguments\nhint: see \"countersign-datachannel --help\"\n", stderr);
        return exit_usage;
    }
    struct guard_state state = guard_enter();
    g_autofree char *missing = channel_load();
    guard_finish(&state);
    if (!missing) missing = g_strdup(guard_problem(state));
    if (checks) {
        puts(missing ? missing : "ready");
        if (!missing) say_bounds(state);
        return missing ? exit_unavailable : exit_done;
    }
    output_start();
    if (missing) {
        output_put(json_pack("{s:s, s:s}", "type", "error", "message", missing));
        output_finish(exit_unavailable);
    }
    put_ready(state);
    input_start(take, ended);
    g_main_loop_run(g_main_loop_new(NULL, FALSE));
    return exit_software;
}
