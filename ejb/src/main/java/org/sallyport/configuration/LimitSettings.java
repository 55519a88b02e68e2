package org.sallyport.configuration;

import java.time.Duration;
import java.util.List;

/** What executions may use, and requests may ask for. */
public final class LimitSettings {
    private static final long MINUTE = 60_000;

    public static final Setting<Duration> WALL = Setting.millis(
            "sallyport.limits.wall-millis",
            1,
            24 * 60 * MINUTE,
            5 * MINUTE,
            "Wall-clock limit of an execution that asks for none.");
    public static final Setting<Duration> WALL_MAX = Setting.millis(
            "sallyport.limits.max-wall-millis",
            1,
            24 * 60 * MINUTE,
            60 * MINUTE,
            "Largest wall-clock limit that may be asked for.");
    public static final Setting<Duration> PARKED = Setting.millis(
            "sallyport.limits.parked-millis",
            MINUTE,
            3_650L * 24 * 60 * MINUTE,
            30L * 24 * 60 * MINUTE,
            "Longest wait of a script for its timers or an event; one that would wait longer has timed out.");
    public static final Setting<Duration> DELAY = Setting.millis(
            "sallyport.limits.delay-millis",
            0,
            3_650L * 24 * 60 * MINUTE,
            366L * 24 * 60 * MINUTE,
            "How far ahead `notBefore` and `delayMillis` of a submission may lie.");
    public static final Setting<Duration> CPU = Setting.millis(
            "sallyport.limits.cpu-millis",
            1,
            60 * MINUTE,
            30_000,
            "Computing-time limit of an execution that asks for none.");
    public static final Setting<Duration> CPU_MAX = Setting.millis(
            "sallyport.limits.max-cpu-millis",
            1,
            60 * MINUTE,
            5 * MINUTE,
            "Largest computing-time limit that may be asked for.");
    public static final Setting<Long> HEAP = Setting.number(
            "sallyport.limits.heap-bytes",
            1 << 20,
            1L << 40,
            64L << 20,
            "Memory limit of an execution that asks for none.");
    public static final Setting<Long> HEAP_MAX = Setting.number(
            "sallyport.limits.max-heap-bytes",
            1 << 20,
            1L << 40,
            128L << 20,
            "Largest memory limit that may be asked for.");
    public static final Setting<Long> CALLS = Setting.number(
            "sallyport.limits.tool-calls", 0, 1_000_000, 1_000, "Tool calls of an execution that asks for no limit.");
    public static final Setting<Long> CALLS_MAX = Setting.number(
            "sallyport.limits.max-tool-calls",
            0,
            1_000_000,
            10_000,
            "Largest number of tool calls that may be asked for.");
    public static final Setting<Long> CONCURRENT_CALLS = Setting.number(
            "sallyport.limits.concurrent-calls",
            1,
            10_000,
            32,
            "Tool calls of one execution that may be open at one time.");
    public static final Setting<Long> CONCURRENT_CALLS_MAX = Setting.number(
            "sallyport.limits.max-concurrent-calls",
            1,
            10_000,
            128,
            "Largest number of open tool calls that may be asked for; where the default is larger, that is.");
    public static final Setting<Long> OUTPUT = Setting.number(
            "sallyport.limits.output-chars",
            0,
            10_000_000,
            200_000,
            "Characters kept of each output stream of an execution that asks for no limit.");
    public static final Setting<Long> OUTPUT_MAX = Setting.number(
            "sallyport.limits.max-output-chars", 0, 10_000_000, 200_000, "Largest output limit that may be asked for.");
    public static final Setting<Long> BODY = Setting.number(
            "sallyport.limits.body-bytes", 1_024, 1L << 30, 4L << 20, "Largest body of a request, in bytes.");
    public static final Setting<Long> BODIES = Setting.number(
            "sallyport.limits.awaited-bodies",
            1,
            10_000,
            48,
            "Requests whose body one node waits for at one time, each with a thread of the server's 64; two thirds of them of one key.");
    public static final Setting<Long> SOURCE = Setting.number(
            "sallyport.limits.source-bytes", 1, 1 << 20, 256 << 10, "Largest script, in bytes of UTF-8.");
    public static final Setting<Long> ARGS = Setting.number(
            "sallyport.limits.args-bytes",
            1,
            16 << 20,
            1 << 20,
            "Largest `args` or `context` of a submission, in bytes.");
    public static final Setting<Long> RESULT = Setting.number(
            "sallyport.limits.result-chars",
            1,
            16 << 20,
            1 << 20,
            "Largest result of a script, in characters of JSON.");
    public static final Setting<Long> RESULT_MAX = Setting.number(
            "sallyport.limits.max-result-chars",
            1,
            16 << 20,
            4 << 20,
            "Largest limit of a script's result that may be asked for; where the default is larger, that is.");
    public static final Setting<Long> CALL_ARGS = Setting.number(
            "sallyport.limits.call-argument-chars",
            1,
            16 << 20,
            256 << 10,
            "Largest arguments of one tool call, in characters of JSON.");
    public static final Setting<Long> CALL_ARGS_MAX = Setting.number(
            "sallyport.limits.max-call-argument-chars",
            1,
            16 << 20,
            1 << 20,
            "Largest limit of a call's arguments that may be asked for; where the default is larger, that is.");
    public static final Setting<Long> CALL_RESULT = Setting.number(
            "sallyport.limits.call-result-chars",
            1,
            16 << 20,
            1 << 20,
            "Largest result of one tool call, in characters of JSON.");
    public static final Setting<Duration> CALL =
            Setting.millis("sallyport.limits.call-millis", 1, 60 * MINUTE, 30_000, "How long one tool call may take.");
    public static final Setting<Long> TIMERS = Setting.number(
            "sallyport.limits.timers", 1, 100_000, 1_000, "Timers of one execution that may be pending at one time.");
    public static final Setting<Long> TIMERS_MAX = Setting.number(
            "sallyport.limits.max-timers",
            1,
            100_000,
            10_000,
            "Largest number of pending timers that may be asked for; where the default is larger, that is.");
    public static final Setting<Long> ARTIFACTS =
            Setting.number("sallyport.limits.artifacts", 0, 10_000, 100, "Artifacts that one execution may write.");
    public static final Setting<Long> ARTIFACTS_MAX = Setting.number(
            "sallyport.limits.max-artifacts",
            0,
            10_000,
            1_000,
            "Largest number of artifacts that may be asked for; where the default is larger, that is.");
    public static final Setting<Long> ARTIFACT_BYTES =
            Setting.number("sallyport.limits.artifact-bytes", 1, 10_000_000, 10_000_000, "Largest artifact, in bytes.");
    public static final Setting<Long> ARTIFACT_BYTES_MAX = Setting.number(
            "sallyport.limits.max-artifact-bytes",
            1,
            10_000_000,
            10_000_000,
            "Largest limit of one artifact that may be asked for; where the default is larger, that is.");
    public static final Setting<Long> EVENTS =
            Setting.number("sallyport.limits.events", 0, 100_000, 1_000, "Events that one execution may emit.");
    public static final Setting<Long> EVENTS_MAX = Setting.number(
            "sallyport.limits.max-events",
            0,
            100_000,
            10_000,
            "Largest number of events that may be asked for; where the default is larger, that is.");
    public static final Setting<Duration> WAIT = Setting.millis(
            "sallyport.limits.wait-millis",
            0,
            10 * MINUTE,
            MINUTE,
            "How long one request may wait for an execution; a request for more is refused.");
    public static final Setting<Long> WAITS = Setting.number(
            "sallyport.limits.waits",
            0,
            4_000,
            500,
            "Requests of one key that may wait for executions on one node at one time.");
    public static final Setting<Long> QUEUED = Setting.number(
            "sallyport.limits.queued",
            1,
            100_000_000,
            200_000,
            "Executions of one tenant that may wait to begin; with more, submissions are answered `429` `queue-full`.");
    public static final Setting<Long> STREAMS = Setting.number(
            "sallyport.limits.streams",
            0,
            2_000,
            100,
            "Streams of events or results that one tenant may have open on one node.");
    public static final Setting<Long> STREAMS_OF_KEY = Setting.number(
            "sallyport.limits.streams-per-key",
            0,
            2_000,
            20,
            "Of those, streams that one key, or one token's subject, may have open.");

    public static final Setting<Long> NESTED_DEPTH = Setting.number(
            "sallyport.limits.nested-depth",
            0,
            100,
            8,
            "Executions above one that a script runs as a capability, at most; 0 lets scripts run none.");
    public static final Setting<Long> NESTED = Setting.number(
            "sallyport.limits.nested",
            1,
            1_000_000,
            1_000,
            "Executions that may be nested below one, whatever runs them.");

    public static final Setting<Long> SCRIPTS = Setting.number(
            "sallyport.limits.scripts",
            1,
            100_000,
            1_000,
            "Scripts that are kept of one tenant; one more takes the place of the one that was used least recently.");

    public static final Setting<Long> REQUESTS = Setting.number(
            "sallyport.limits.requests",
            0,
            1_000_000,
            2_000,
            "Requests of one key in a second on one node, twice as many at once; with more they are answered `429`"
                    + " `rate-limited`. 0 for as many as come.");

    public static final Setting<Long> OF_KEY = Setting.number(
            "sallyport.limits.concurrency-key",
            1,
            10_000,
            1,
            "Executions of one tenant with the same `concurrencyKey` that may be live at one time.");

    static final List<Setting<?>> ALL = List.of(
            REQUESTS,
            NESTED_DEPTH,
            NESTED,
            QUEUED,
            WALL,
            WALL_MAX,
            PARKED,
            DELAY,
            CPU,
            CPU_MAX,
            HEAP,
            HEAP_MAX,
            CALLS,
            CALLS_MAX,
            CONCURRENT_CALLS,
            CONCURRENT_CALLS_MAX,
            OUTPUT,
            OUTPUT_MAX,
            BODY,
            BODIES,
            SOURCE,
            ARGS,
            RESULT,
            RESULT_MAX,
            CALL_ARGS,
            CALL_ARGS_MAX,
            CALL_RESULT,
            CALL,
            TIMERS,
            TIMERS_MAX,
            ARTIFACTS,
            ARTIFACTS_MAX,
            ARTIFACT_BYTES,
            ARTIFACT_BYTES_MAX,
            EVENTS,
            EVENTS_MAX,
            WAIT,
            WAITS,
            STREAMS,
            STREAMS_OF_KEY,
            SCRIPTS,
            OF_KEY);

    private LimitSettings() {}
}
