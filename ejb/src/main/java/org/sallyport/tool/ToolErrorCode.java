package org.sallyport.tool;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Why a call failed; used in scripts, traces and connectors. */
public enum ToolErrorCode {
    TOOL_NOT_FOUND("tool-not-found", false),
    NOT_GRANTED("not-granted", false),
    DENIED("denied", false),
    INVALID_ARGUMENTS("invalid-arguments", false),
    BACKEND_STARTING("backend-starting", true),
    BACKEND_UNAVAILABLE("backend-unavailable", true),
    BACKEND_BUSY("backend-busy", true),
    TOOL_QUARANTINED("tool-quarantined", false),
    TOOL_UNUSABLE("tool-unusable", false),
    EGRESS_DENIED("egress-denied", false),
    TIMEOUT("timeout", true),
    CANCELLED("cancelled", false),
    TOO_LARGE("too-large", false),
    CALL_LIMIT("call-limit", false),
    JOURNAL_LIMIT("journal-limit", false),
    BUDGET_EXCEEDED("budget-exceeded", false),
    QUOTA_EXCEEDED("quota-exceeded", false),
    TOOL_FAILED("tool-failed", false),
    CAPABILITY_FAILED("capability-failed", false),
    CAPABILITY_CYCLE("capability-cycle", false),
    VARIABLES_NOT_SET("variables-not-set", false),
    OUTCOME_UNKNOWN("outcome-unknown", false),
    NOT_RECORDED("not-recorded", false),
    TOOLS_MISSING("tools-missing", false),
    SANDBOX_NOT_ALLOWED("sandbox-not-allowed", false);

    /**
     * Codes of calls that never reached their tool, unless they were sent more than once. An unavailable backend is not
     * among them, because it may have received the call.
     */
    public static final Set<ToolErrorCode> NOT_EXECUTED = Collections.unmodifiableSet(EnumSet.of(
            TOOL_NOT_FOUND,
            NOT_GRANTED,
            DENIED,
            INVALID_ARGUMENTS,
            BACKEND_STARTING,
            BACKEND_BUSY,
            TOOL_QUARANTINED,
            TOOL_UNUSABLE,
            EGRESS_DENIED,
            CALL_LIMIT,
            JOURNAL_LIMIT,
            BUDGET_EXCEEDED,
            QUOTA_EXCEEDED,
            CAPABILITY_CYCLE,
            VARIABLES_NOT_SET,
            TOOLS_MISSING,
            SANDBOX_NOT_ALLOWED));

    private final String code;
    private final boolean retryable;

    ToolErrorCode(String code, boolean retryable) {
        this.code = code;
        this.retryable = retryable;
    }

    /** Returns the stable name. */
    public String code() {
        return code;
    }

    /** Returns whether the same call may succeed later. */
    public boolean isRetryable() {
        return retryable;
    }

    /** Returns the code with that stable name; empty when there is none. */
    public static Optional<ToolErrorCode> of(String code) {
        return Arrays.stream(values()).filter(c -> c.code.equals(code)).findFirst();
    }
}
