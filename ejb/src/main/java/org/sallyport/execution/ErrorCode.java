package org.sallyport.execution;

/** Why an execution did not complete, as clients see it. */
public enum ErrorCode {
    SCRIPT_ERROR("script-error", ErrorOrigin.SCRIPT),
    SYNTAX_ERROR("syntax-error", ErrorOrigin.SCRIPT),
    DEADLOCK("deadlock", ErrorOrigin.SCRIPT),
    UNHANDLED_REJECTION("unhandled-rejection", ErrorOrigin.SCRIPT),
    RESULT_NOT_JSON("result-not-json", ErrorOrigin.SCRIPT),
    OUTPUT_MISMATCH("output-mismatch", ErrorOrigin.SCRIPT),
    MODULE_NOT_ALLOWED("module-not-allowed", ErrorOrigin.SCRIPT),
    TOOL_ERROR("tool-error", ErrorOrigin.TOOL),
    CPU_LIMIT("cpu-limit", ErrorOrigin.LIMIT),
    MEMORY_LIMIT("memory-limit", ErrorOrigin.LIMIT),
    RESULT_TOO_LARGE("result-too-large", ErrorOrigin.LIMIT),
    RECORD_LIMIT("record-limit", ErrorOrigin.LIMIT),
    NON_DETERMINISTIC_REPLAY("non-deterministic-replay", ErrorOrigin.SCRIPT),
    OUTSIDE_PLAN("outside-plan", ErrorOrigin.SCRIPT),
    RECORDING_GONE("recording-gone", ErrorOrigin.INTERNAL),
    WALL_CLOCK_LIMIT("wall-clock-limit", ErrorOrigin.LIMIT),
    WORKER_LOST("worker-lost", ErrorOrigin.INTERNAL),
    PROTOCOL_VIOLATION("protocol-violation", ErrorOrigin.INTERNAL),
    SANDBOX_NOT_ALLOWED("sandbox-not-allowed", ErrorOrigin.INTERNAL),
    SANDBOX_UNAVAILABLE("sandbox-unavailable", ErrorOrigin.INTERNAL),
    RUNNER_LOST("runner-lost", ErrorOrigin.INTERNAL),
    REPLAY_FAILED("replay-failed", ErrorOrigin.INTERNAL),
    DEAD_LETTER("dead-letter", ErrorOrigin.INTERNAL),
    INTERNAL_ERROR("internal-error", ErrorOrigin.INTERNAL);

    private final String code;
    private final ErrorOrigin origin;

    ErrorCode(String code, ErrorOrigin culprit) {
        this.code = code;
        this.origin = culprit;
    }

    /** Returns the stable name. */
    public String code() {
        return code;
    }

    /** Returns the origin of the failure. */
    public ErrorOrigin origin() {
        return origin;
    }
}
