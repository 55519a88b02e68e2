package org.sallyport.sandbox;

/**
 * The requests that scripts send to the host instead of a backend: {@code events}, {@code artifacts} and {@code
 * approvals}. They are numbered and answered like tool calls, under a backend name that no real backend can have.
 */
public final class HostServices {
    /** The name that {@link SessionListener#onToolCall} gets as backend. */
    public static final String BACKEND = "$sallyport";

    /**
     * {@code {"name", "kind": "text|json|bytes", "contentType"?, "data": base64}}; answers {@code {"name", "size"}}.
     */
    public static final String ARTIFACT_WRITE = "artifacts.write";
    /** {@code {"name"}}; answers {@code {"name", "kind", "contentType", "data": base64}} or {@code null}. */
    public static final String ARTIFACT_READ = "artifacts.read";
    /** {@code {}}; answers a list of {@code {"name", "contentType", "size", "createdAt"}}. */
    public static final String ARTIFACT_LIST = "artifacts.list";
    /** {@code {"name", "data"}}; answers {@code {"seq"}}. */
    public static final String EVENT_EMIT = "events.emit";
    /**
     * {@code {"names", "after"?, "timeout"?}}: the first event of one of the names with a {@code seq} above {@code
     * after}, or the next one emitted when absent; answers {@code {"seq", "name", "data"}}, or {@code {"seq": after}}
     * when {@code timeout} milliseconds passed.
     */
    public static final String EVENT_NEXT = "events.next";
    /** {@code {}}; answers {@code {"seq"}} of the last stored event, which is a valid start value for {@code after}. */
    public static final String EVENT_LAST = "events.last";

    /**
     * {@code {"title", "details"?, "timeout"?, "approvers"?}}: requests an approval from people, who have {@code
     * timeout} milliseconds to vote; answers {@code {"approved", "state", "by", "at", "note", "answer"?}}.
     */
    public static final String APPROVAL_REQUEST = "approvals.request";

    /** Maximum approval requests of one session; approvers would not read more. */
    public static final int MAX_APPROVAL_REQUESTS = 100;

    /** Maximum characters of one approval request, as JSON text. */
    public static final int MAX_APPROVAL_CHARS = 16_000;

    /** Maximum host requests of one session, not counting its tool calls. */
    public static final int MAX_SERVICE_CALLS = 10_000;

    private HostServices() {}

    /** Returns the maximum characters of the JSON arguments of a call of {@code tool}. */
    public static int maxArgumentChars(String tool, SessionLimits limits) {
        return switch (tool) {
            case ARTIFACT_WRITE -> limits.artifactBytes() / 3 * 4 + 4_000;
            case APPROVAL_REQUEST -> Math.min(MAX_APPROVAL_CHARS, limits.argumentChars());
            default -> limits.argumentChars();
        };
    }
}
