package org.sallyport.web;

/** The kinds of problems. Clients rely on the last part of the URI. */
public enum ProblemType {
    VALIDATION("validation", 400, "The request is not valid"),
    UNAUTHORIZED("unauthorized", 401, "No valid key"),
    FORBIDDEN("forbidden", 403, "Not allowed"),
    NOT_FOUND("not-found", 404, "Not found"),
    METHOD_NOT_ALLOWED("method-not-allowed", 405, "Method not allowed"),
    NOT_ACCEPTABLE("not-acceptable", 406, "No representation the client accepts"),
    REQUEST_TIMEOUT("request-timeout", 408, "Request timeout"),
    ALREADY_TERMINAL("already-terminal", 409, "The execution has ended"),
    NOT_TERMINAL("not-terminal", 409, "The execution has not ended"),
    ALREADY_DECIDED("already-decided", 409, "The approval is already decided"),
    LINK_USED("link-used", 409, "The link was already used"),
    LINK_OVER("link-over", 410, "The link is no longer valid"),
    TOO_MANY_LINKS("too-many-links", 409, "The approval has too many links"),
    POLICY_CONFLICT("policy-conflict", 409, "Another version of the policy is in force"),
    IDEMPOTENCY_IN_PROGRESS("idempotency-conflict", 409, "The first request with this key is still being stored"),
    BACKEND_EXISTS("backend-exists", 409, "A backend with this name exists"),
    TOO_MANY_BACKENDS("too-many-backends", 409, "The limit of backends is reached"),
    SECRET_EXISTS("secret-exists", 409, "A secret with this name exists"),
    TOO_MANY_KEYS("too-many-keys", 409, "The limit of API keys is reached"),
    TOO_MANY_SECRETS("too-many-secrets", 409, "The limit of secrets is reached"),
    TOO_MANY_VARIABLES("too-many-variables", 409, "The limit of variables is reached"),
    BACKEND_FIXED("backend-fixed", 409, "The backend is defined in the service's backends file"),
    BACKEND_DISABLED("backend-disabled", 409, "The backend is disabled"),
    NOT_QUARANTINED("not-quarantined", 409, "The tool is not quarantined"),
    PAYLOAD_TOO_LARGE("payload-too-large", 413, "The request is too large"),
    UNSUPPORTED_MEDIA_TYPE("unsupported-media-type", 415, "Unsupported media type"),
    SYNTAX_ERROR("syntax-error", 422, "The script cannot be parsed"),
    INVALID_POLICY("invalid-policy", 422, "The policy rules are invalid"),
    IDEMPOTENCY_CONFLICT("idempotency-conflict", 422, "The key was used with another request"),
    DEFINITION_CHANGED("definition-changed", 409, "The definition has changed since it was reviewed"),
    PLAN_NOT_APPROVABLE("plan-not-approvable", 409, "The plan cannot be approved"),
    VERSION_EXISTS("version-exists", 409, "This version is already published"),
    NOT_PROMOTABLE("not-promotable", 409, "The execution cannot become a capability"),
    SCRIPT_EXISTS("script-exists", 409, "The script or its name is already saved"),
    BACKUP_RUNNING("backup-running", 409, "A backup is being taken"),
    BACKUP_NOT_SUPPORTED("backup-not-supported", 409, "The service does not back up its database"),
    SCHEDULE_EXISTS("schedule-exists", 409, "A schedule with this name exists"),
    TOO_MANY_SCHEDULES("too-many-schedules", 409, "The limit of schedules is reached"),
    WEBHOOK_EXISTS("webhook-exists", 409, "A webhook with this name exists"),
    TOO_MANY_WEBHOOKS("too-many-webhooks", 409, "The limit of webhooks is reached"),
    NOTHING_TO_RETRY("nothing-to-retry", 409, "No execution of the batch has failed"),
    TESTS_FAILED("tests-failed", 422, "The tests do not pass"),
    INVALID_ARGUMENTS("invalid-arguments", 422, "Invalid arguments"),
    VARIABLES_NOT_SET("variables-not-set", 422, "Variables of the capability are not set"),
    TOOLS_MISSING("tools-missing", 422, "Tools of the capability do not exist"),
    SANDBOX_NOT_ALLOWED("sandbox-not-allowed", 422, "The sandbox of the capability is not allowed"),
    INTEGRITY_MISMATCH("integrity-mismatch", 422, "Integrity hash mismatch"),
    BATCH_REFUSED("batch-refused", 422, "Items of the atomic batch cannot be accepted"),
    QUEUE_FULL("queue-full", 429, "Too many executions are queued"),
    QUOTA_EXCEEDED("quota-exceeded", 429, "Quota exceeded"),
    RATE_LIMITED("rate-limited", 429, "Too many requests"),
    INTERNAL_ERROR("internal-error", 500, "The service failed"),
    BACKUP_FAILED("backup-failed", 500, "The backup failed"),
    UNAVAILABLE("unavailable", 503, "The service cannot answer now"),
    VARIABLES_TOO_LARGE("variables-too-large", 422, "The variables of the capability are too large");

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
