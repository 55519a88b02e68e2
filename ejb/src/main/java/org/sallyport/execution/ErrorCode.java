package org.sallyport.execution;

/** Why an execution did not complete, as clients see it. */
public enum ErrorCode {
    SCRIPT_ERROR("script-error", Culprit.SCRIPT),
    SYNTAX_ERROR("syntax-error", Culprit.SCRIPT),
    DEADLOCK("deadlock", Culprit.SCRIPT),
    UNHANDLED_REJECTION("unhandled-rejection", Culprit.SCRIPT),
    RESULT_NOT_JSON("result-not-json", Culprit.SCRIPT),
    OUTPUT_MISMATCH("output-mismatch", Culprit.SCRIPT),
    MODULE_NOT_ALLOWED("module-not-allowed", Culprit.SCRIPT),
    TOOL_ERROR("tool-error", Culprit.TOOL),
    CPU_LIMIT("cpu-limit", Culprit.LIMIT),
    MEMORY_LIMIT("memory-limit", Culprit.LIMIT),
    RESULT_TOO_LARGE("result-too-large", Culprit.LIMIT),
    RECORD_LIMIT("record-limit", Culprit.LIMIT),
    NON_DETERMINISTIC_REPLAY("non-deterministic-replay", Culprit.SCRIPT),
    OUTSIDE_PLAN("outside-plan", Culprit.SCRIPT),
    RECORDING_GONE("recording-gone", Culprit.INTERNAL),
    WALL_CLOCK_LIMIT("wall-clock-limit", Culprit.LIMIT),
    WORKER_LOST("worker-lost", Culprit.INTERNAL),
    PROTOCOL_VIOLATION("protocol-violation", Culprit.INTERNAL),
    SANDBOX_UNAVAILABLE("sandbox-unavailable", Culprit.INTERNAL),
    RUNNER_LOST("runner-lost", Culprit.INTERNAL),
    DEAD_LETTER("dead-letter", Culprit.INTERNAL),
    INTERNAL_ERROR("internal-error", Culprit.INTERNAL);

    private final String code;
    private final Culprit culprit;

    ErrorCode(String code, Culprit culprit) {
        this.code = code;
        this.culprit = culprit;
    }

    /** The stable name. */
    public String code() {
        return code;
    }

    /** On whose side it lies. */
    public Culprit culprit() {
        return culprit;
    }
}
