package org.sallyport.sandbox;

/**
 * What scripts ask of the host itself rather than of a backend: {@code events}, {@code artifacts} and {@code approvals}. They
 * go the way of tool calls, numbered and answered like these, to a backend that no real one can be named as.
 */
public final class HostServices {
    /** The name of the backend in {@link SessionListener#onToolCall}. */
    public static final String BACKEND = "$sallyport";

    /** {@code {"name", "kind": "text|json|bytes", "contentType"?, "data": base64}}; answers {@code {"name", "size"}}. */
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
    /** {@code {}}; answers {@code {"seq"}} of the last event there was: what {@code after} starts from. */
    public static final String EVENT_LAST = "events.last";

    /**
     * {@code {"title", "details"?, "timeout"?, "approvers"?}}: asks people, who have {@code timeout} milliseconds; answers {@code
     * {"approved", "state", "by", "at", "note", "answer"?}}.
     */
    public static final String APPROVAL_REQUEST = "approvals.request";

    /** How often one session may ask people: they would read none of more. */
    public static final int MAX_APPROVAL_REQUESTS = 100;

    /** Characters of what people are asked at one time, as JSON text. */
    public static final int MAX_APPROVAL_CHARS = 16_000;

    /** Requests of a session beside its tool calls, over its whole life. */
    public static final int MAX_SERVICE_CALLS = 10_000;

    private HostServices() {}

    /** Characters of the arguments of a call of {@code tool} as JSON text, at most. */
    public static int maxArgumentChars(String tool, SessionLimits limits) {
        return switch (tool) {
            case ARTIFACT_WRITE -> limits.artifactBytes() / 3 * 4 + 4_000;
            case APPROVAL_REQUEST -> Math.min(MAX_APPROVAL_CHARS, limits.argumentChars());
            default -> limits.argumentChars();
        };
    }
}
