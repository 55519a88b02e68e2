package org.sallyport.configuration;

import java.time.Duration;
import java.util.List;

/** Limits of executions and requests. */
public final class LimitSettings {
    private static final long MINUTE = 60_000;

    public static final Setting<Duration> DEFAULT_WALL_TIME = Setting.millis(
            "sallyport.limits.default-wall-millis",
            1,
            24 * 60 * MINUTE,
            5 * MINUTE,
            "Wall-clock limit of an execution that asks for none.");
    public static final Setting<Duration> MAX_WALL_TIME = Setting.millis(
            "sallyport.limits.max-wall-millis",
            1,
            24 * 60 * MINUTE,
            60 * MINUTE,
            "Largest wall-clock limit that may be asked for.");
    public static final Setting<Duration> MAX_PARKED = Setting.millis(
            "sallyport.limits.max-parked-millis",
            MINUTE,
            3_650L * 24 * 60 * MINUTE,
            30L * 24 * 60 * MINUTE,
            "Longest wait of a script for its timers or an event; a script that would wait longer times out.");
    public static final Setting<Duration> MAX_DELAY = Setting.millis(
            "sallyport.limits.max-delay-millis",
            0,
            3_650L * 24 * 60 * MINUTE,
            366L * 24 * 60 * MINUTE,
            "How far ahead `notBefore` and `delayMillis` of a submission may lie.");
    public static final Setting<Duration> DEFAULT_CPU_TIME = Setting.millis(
            "sallyport.limits.default-cpu-millis",
            1,
            60 * MINUTE,
            30_000,
            "Computing-time limit of an execution that asks for none.");
    public static final Setting<Duration> MAX_CPU_TIME = Setting.millis(
            "sallyport.limits.max-cpu-millis",
            1,
            60 * MINUTE,
            5 * MINUTE,
            "Largest computing-time limit that may be asked for.");
    public static final Setting<Long> DEFAULT_HEAP_BYTES = Setting.number(
            "sallyport.limits.default-heap-bytes",
            1 << 20,
            1L << 40,
            128L << 20,
            "Memory limit of an execution that asks for none.");
    public static final Setting<Long> MAX_HEAP_BYTES = Setting.number(
            "sallyport.limits.max-heap-bytes",
            1 << 20,
            1L << 40,
            128L << 20,
            "Largest memory limit that may be asked for.");
    public static final Setting<Long> DEFAULT_TOOL_CALLS = Setting.number(
            "sallyport.limits.default-tool-calls",
            0,
            1_000_000,
            1_000,
            "Tool calls of an execution that asks for no limit.");
    public static final Setting<Long> MAX_TOOL_CALLS = Setting.number(
            "sallyport.limits.max-tool-calls",
            0,
            1_000_000,
            10_000,
            "Largest number of tool calls that may be asked for.");
    public static final Setting<Long> DEFAULT_CONCURRENT_CALLS = Setting.number(
            "sallyport.limits.default-concurrent-calls",
            1,
            10_000,
            32,
            "Tool calls of one execution that may be open at one time. Further calls wait.");
    public static final Setting<Long> MAX_CONCURRENT_CALLS = Setting.number(
            "sallyport.limits.max-concurrent-calls",
            1,
            10_000,
            128,
            "Largest number of open tool calls that may be asked for; a larger default raises it.");
    public static final Setting<Long> DEFAULT_OUTPUT_CHARS = Setting.number(
            "sallyport.limits.default-output-chars",
            0,
            10_000_000,
            200_000,
            "Characters kept of each output stream of an execution that asks for no limit.");
    public static final Setting<Long> MAX_OUTPUT_CHARS = Setting.number(
            "sallyport.limits.max-output-chars", 0, 10_000_000, 200_000, "Largest output limit that may be asked for.");
    public static final Setting<Long> MAX_BODY_BYTES = Setting.number(
            "sallyport.limits.max-body-bytes", 1_024, 1L << 30, 4L << 20, "Largest body of a request, in bytes.");
    public static final Setting<Long> MAX_PENDING_BODIES = Setting.number(
            "sallyport.limits.max-pending-bodies",
            1,
            10_000,
            48,
            "Requests whose body one node waits for at one time; each occupies one of the server's 64 threads. One"
                    + " key may have two thirds of them, all inbound webhooks one third, and one of these a sixth.");
    public static final Setting<Long> MAX_SOURCE_BYTES = Setting.number(
            "sallyport.limits.max-source-bytes", 1, 1 << 20, 256 << 10, "Largest script, in bytes of UTF-8.");
    public static final Setting<Long> MAX_ARGS_BYTES = Setting.number(
            "sallyport.limits.max-args-bytes",
            1,
            16 << 20,
            1 << 20,
            "Largest `args` or `context` of a submission, in bytes.");
    public static final Setting<Long> DEFAULT_RESULT_CHARS = Setting.number(
            "sallyport.limits.default-result-chars",
            1,
            16 << 20,
            1 << 20,
            "Largest result of a script, in characters of JSON.");
    public static final Setting<Long> MAX_RESULT_CHARS = Setting.number(
            "sallyport.limits.max-result-chars",
            1,
            16 << 20,
            4 << 20,
            "Largest limit of a script's result that may be asked for; a larger default raises it.");
    public static final Setting<Long> DEFAULT_CALL_ARGUMENT_CHARS = Setting.number(
            "sallyport.limits.default-call-argument-chars",
            1,
            16 << 20,
            256 << 10,
            "Largest arguments of one tool call, in characters of JSON.");
    public static final Setting<Long> MAX_CALL_ARGUMENT_CHARS = Setting.number(
            "sallyport.limits.max-call-argument-chars",
            1,
            16 << 20,
            1 << 20,
            "Largest limit of a call's arguments that may be asked for; a larger default raises it.");
    public static final Setting<Long> MAX_CALL_RESULT_CHARS = Setting.number(
            "sallyport.limits.call-result-chars",
            1,
            16 << 20,
            4 << 20,
            "Largest result of one tool call, in characters of JSON.");
    public static final Setting<Duration> CALL_TIMEOUT =
            Setting.millis("sallyport.limits.call-millis", 1, 60 * MINUTE, 30_000, "How long one tool call may take.");
    public static final Setting<Long> DEFAULT_TIMERS = Setting.number(
            "sallyport.limits.default-timers",
            1,
            100_000,
            1_000,
            "Timers of one execution that may be pending at one time.");
    public static final Setting<Long> MAX_TIMERS = Setting.number(
            "sallyport.limits.max-timers",
            1,
            100_000,
            10_000,
            "Largest number of pending timers that may be asked for; a larger default raises it.");
    public static final Setting<Long> DEFAULT_ARTIFACTS = Setting.number(
            "sallyport.limits.default-artifacts", 0, 10_000, 100, "Artifacts that one execution may write.");
    public static final Setting<Long> MAX_ARTIFACTS = Setting.number(
            "sallyport.limits.max-artifacts",
            0,
            10_000,
            1_000,
            "Largest number of artifacts that may be asked for; a larger default raises it.");
    public static final Setting<Long> DEFAULT_ARTIFACT_BYTES = Setting.number(
            "sallyport.limits.default-artifact-bytes", 1, 10_000_000, 10_000_000, "Largest artifact, in bytes.");
    public static final Setting<Long> MAX_ARTIFACT_BYTES = Setting.number(
            "sallyport.limits.max-artifact-bytes",
            1,
            10_000_000,
            10_000_000,
            "Largest limit of one artifact that may be asked for; a larger default raises it.");
    public static final Setting<Long> DEFAULT_EVENTS =
            Setting.number("sallyport.limits.default-events", 0, 100_000, 1_000, "Events that one execution may emit.");
    public static final Setting<Long> MAX_EVENTS = Setting.number(
            "sallyport.limits.max-events",
            0,
            100_000,
            10_000,
            "Largest number of events that may be asked for; a larger default raises it.");
    public static final Setting<Long> DEFAULT_JOURNAL_BYTES = Setting.number(
            "sallyport.limits.default-journal-bytes",
            1,
            1 << 30,
            64 << 20,
            "Largest journal of one execution, in bytes: the arguments and results of its calls.");
    public static final Setting<Long> MAX_JOURNAL_BYTES = Setting.number(
            "sallyport.limits.max-journal-bytes",
            1,
            1 << 30,
            256 << 20,
            "Largest limit of a journal that may be asked for; a larger default raises it.");
    public static final Setting<Duration> MAX_WAIT = Setting.millis(
            "sallyport.limits.max-wait-millis",
            0,
            10 * MINUTE,
            MINUTE,
            "How long one request may wait for an execution; a request for more is refused.");
    public static final Setting<Long> MAX_LONG_POLLS = Setting.number(
            "sallyport.limits.max-long-polls",
            0,
            4_000,
            500,
            "Requests of one key that may wait for executions on one node at one time.");
    public static final Setting<Long> MAX_QUEUED = Setting.number(
            "sallyport.limits.max-queued",
            1,
            100_000_000,
            200_000,
            "Executions of one tenant that may wait to begin; with more, submissions are answered `429` `queue-full`.");
    public static final Setting<Long> MAX_STREAMS = Setting.number(
            "sallyport.limits.max-streams",
            0,
            2_000,
            100,
            "Streams of events or results that one tenant may have open on one node.");
    public static final Setting<Long> MAX_STREAMS_PER_KEY = Setting.number(
            "sallyport.limits.max-streams-per-key",
            0,
            2_000,
            20,
            "Of those, streams that one key, or one token's subject, may have open.");

    public static final Setting<Long> MAX_NESTED_DEPTH = Setting.number(
            "sallyport.limits.max-nesting-depth",
            0,
            100,
            8,
            "Maximum number of executions above one that a script runs as a capability; 0: scripts run none.");
    public static final Setting<Long> MAX_NESTED_EXECUTIONS = Setting.number(
            "sallyport.limits.max-nested-executions",
            1,
            1_000_000,
            1_000,
            "Executions that may be nested below one, directly or indirectly.");

    public static final Setting<Long> MAX_SAVED_SCRIPTS = Setting.number(
            "sallyport.limits.max-saved-scripts",
            1,
            100_000,
            1_000,
            "Scripts that are kept for each tenant; a further one replaces the least recently used.");

    public static final Setting<Long> REQUESTS_PER_SECOND = Setting.number(
            "sallyport.limits.requests-per-second",
            0,
            1_000_000,
            2_000,
            "Requests per second of one key on one node, with bursts of twice as many; more are answered `429`"
                    + " `rate-limited`. 0: no limit.");

    public static final Setting<Long> MAX_PER_CONCURRENCY_KEY = Setting.number(
            "sallyport.limits.max-live-per-concurrency-key",
            1,
            10_000,
            1,
            "Executions of one tenant with the same `concurrencyKey` that may be live at one time.");

    public static final Setting<Long> MAX_RETRY_ATTEMPTS = Setting.number(
            "sallyport.limits.max-retry-attempts",
            1,
            100,
            10,
            "Largest `retry.attempts` of a submission; 1: failed executions are not retried.");
    public static final Setting<Duration> MAX_RETRY_DELAY = Setting.millis(
            "sallyport.limits.max-retry-delay-millis",
            MINUTE,
            30L * 24 * 60 * MINUTE,
            24L * 60 * MINUTE,
            "Largest `retry.delayMillis` and `retry.maxDelayMillis` of a submission.");

    static final List<Setting<?>> ALL = List.of(
            REQUESTS_PER_SECOND,
            MAX_NESTED_DEPTH,
            MAX_NESTED_EXECUTIONS,
            MAX_QUEUED,
            DEFAULT_WALL_TIME,
            MAX_WALL_TIME,
            MAX_PARKED,
            MAX_DELAY,
            DEFAULT_CPU_TIME,
            MAX_CPU_TIME,
            DEFAULT_HEAP_BYTES,
            MAX_HEAP_BYTES,
            DEFAULT_TOOL_CALLS,
            MAX_TOOL_CALLS,
            DEFAULT_CONCURRENT_CALLS,
            MAX_CONCURRENT_CALLS,
            DEFAULT_OUTPUT_CHARS,
            MAX_OUTPUT_CHARS,
            MAX_BODY_BYTES,
            MAX_PENDING_BODIES,
            MAX_SOURCE_BYTES,
            MAX_ARGS_BYTES,
            DEFAULT_RESULT_CHARS,
            MAX_RESULT_CHARS,
            DEFAULT_CALL_ARGUMENT_CHARS,
            MAX_CALL_ARGUMENT_CHARS,
            MAX_CALL_RESULT_CHARS,
            CALL_TIMEOUT,
            DEFAULT_TIMERS,
            MAX_TIMERS,
            DEFAULT_ARTIFACTS,
            MAX_ARTIFACTS,
            DEFAULT_ARTIFACT_BYTES,
            MAX_ARTIFACT_BYTES,
            DEFAULT_EVENTS,
            MAX_EVENTS,
            DEFAULT_JOURNAL_BYTES,
            MAX_JOURNAL_BYTES,
            MAX_WAIT,
            MAX_LONG_POLLS,
            MAX_STREAMS,
            MAX_STREAMS_PER_KEY,
            MAX_SAVED_SCRIPTS,
            MAX_PER_CONCURRENCY_KEY,
            MAX_RETRY_ATTEMPTS,
            MAX_RETRY_DELAY);

    private LimitSettings() {}
}
