package org.sallyport.web;

/** The kinds of problems. Clients rely on the last part of the URI. */
public enum ProblemType {
    VALIDATION("validation", 400, "The request is not valid"),
    UNAUTHORIZED("unauthorized", 401, "No valid key"),
    FORBIDDEN("forbidden", 403, "Not allowed"),
    NOT_FOUND("not-found", 404, "There is no such thing"),
    METHOD_NOT_ALLOWED("method-not-allowed", 405, "This cannot be done with it"),
    NOT_ACCEPTABLE("not-acceptable", 406, "No representation the client accepts"),
    REQUEST_TIMEOUT("request-timeout", 408, "The request did not come in time"),
    ALREADY_TERMINAL("already-terminal", 409, "The execution has ended"),
    NOT_TERMINAL("not-terminal", 409, "The execution has not ended"),
    ALREADY_DECIDED("already-decided", 409, "The approval is decided"),
    LINK_USED("link-used", 409, "The link was used"),
    LINK_OVER("link-over", 410, "The link is over"),
    TOO_MANY_LINKS("too-many-links", 409, "The approval has as many links as it may"),
    POLICY_CONFLICT("policy-conflict", 409, "Another version of the policy is in force"),
    IDEMPOTENCY_IN_PROGRESS("idempotency-conflict", 409, "The first request with this key is still being stored"),
    BACKEND_EXISTS("backend-exists", 409, "There is a backend of this name"),
    SECRET_EXISTS("secret-exists", 409, "There is a secret of this name"),
    TOO_MANY_SECRETS("too-many-secrets", 409, "There are as many secrets as there may be"),
    BACKEND_FIXED("backend-fixed", 409, "The backend is not changed here"),
    BACKEND_DISABLED("backend-disabled", 409, "The backend is disabled"),
    NOT_QUARANTINED("not-quarantined", 409, "The tool is not quarantined"),
    PAYLOAD_TOO_LARGE("payload-too-large", 413, "The request is too large"),
    UNSUPPORTED_MEDIA_TYPE("unsupported-media-type", 415, "The body is of another kind than expected"),
    SYNTAX_ERROR("syntax-error", 422, "The script cannot be read"),
    INVALID_POLICY("invalid-policy", 422, "The rules cannot be read"),
    IDEMPOTENCY_CONFLICT("idempotency-conflict", 422, "The key came with another request before"),
    DEFINITION_CHANGED("definition-changed", 409, "The definition is not the one that was looked at"),
    PLAN_NOT_APPROVABLE("plan-not-approvable", 409, "The plan cannot be approved"),
    VERSION_EXISTS("version-exists", 409, "This version is published"),
    NOT_PROMOTABLE("not-promotable", 409, "No capability can be made of the execution"),
    SCRIPT_EXISTS("script-exists", 409, "Another script, or another name of this one, is kept"),
    SCHEDULE_EXISTS("schedule-exists", 409, "There is a schedule of this name"),
    TOO_MANY_SCHEDULES("too-many-schedules", 409, "There are as many schedules as there may be"),
    NOTHING_TO_RETRY("nothing-to-retry", 409, "Nothing of the batch has failed"),
    TESTS_FAILED("tests-failed", 422, "The tests do not pass"),
    INVALID_ARGUMENTS("invalid-arguments", 422, "The arguments are not what it takes"),
    INTEGRITY_MISMATCH("integrity-mismatch", 422, "It is not what was expected"),
    BATCH_REFUSED("batch-refused", 422, "The batch cannot be accepted whole"),
    QUEUE_FULL("queue-full", 429, "Too many executions wait to begin"),
    QUOTA_EXCEEDED("quota-exceeded", 429, "The tenant takes up as much as it may"),
    RATE_LIMITED("rate-limited", 429, "Too many at one time"),
    INTERNAL_ERROR("internal-error", 500, "The service failed"),
    UNAVAILABLE("unavailable", 503, "The service cannot answer now");

    private final String name;
    private final int status;
    private final String title;

    ProblemType(String name, int status, String title) {
        this.name = name;
        this.status = status;
        this.title = title;
    }

    /** The type URI. */
    public String uri() {
        return "urn:sallyport:problem:" + name;
    }

    /** The HTTP status. */
    public int status() {
        return status;
    }

    /** A summary that is the same for every occurrence. */
    public String title() {
        return title;
    }
}
