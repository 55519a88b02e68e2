package org.sallyport.sandbox;

import java.util.Set;

/**
 * The codes with which a script may end. A worker that a script has taken over could send any other code, such as those
 * by which the service reports its own failures.
 */
public final class ScriptErrorCodes {
    /** The script threw a value; stands in place of a code that is not in the list. */
    public static final String SCRIPT_ERROR = "script-error";

    /** Codes of the guest itself. */
    private static final Set<String> OF_SCRIPTS = Set.of(
            SCRIPT_ERROR,
            "syntax-error",
            "deadlock",
            "unhandled-rejection",
            "result-not-json",
            "non-deterministic-replay",
            "module-not-allowed",
            "module-integrity",
            "timer-limit",
            "artifact-limit",
            "artifact-too-large",
            "event-limit",
            "request-limit");

    /** Codes of calls whose errors the script did not catch. */
    private static final Set<String> OF_CALLS = Set.of(
            "tool-not-found",
            "not-granted",
            "denied",
            "invalid-arguments",
            "backend-starting",
            "backend-unavailable",
            "backend-busy",
            "tool-quarantined",
            "tool-unusable",
            "egress-denied",
            "timeout",
            "cancelled",
            "too-large",
            "call-limit",
            "journal-limit",
            "budget-exceeded",
            "quota-exceeded",
            "tool-failed",
            "capability-failed",
            "capability-cycle",
            "variables-not-set",
            "outcome-unknown",
            "not-recorded",
            "tools-missing",
            "sandbox-not-allowed");

    private ScriptErrorCodes() {}

    /** Returns the code if a script may end with it, else {@link #SCRIPT_ERROR}. */
    public static String orScriptError(String code) {
        return OF_SCRIPTS.contains(code) || OF_CALLS.contains(code) ? code : SCRIPT_ERROR;
    }
}
