package org.sallyport.sandbox.guest;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.graalvm.polyglot.Value;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.OpenCharsLimiter;
import org.sallyport.sandbox.SessionLimits;

/**
 * The calls of one session: numbers them, and refuses calls beyond the limits with {@code !}, a code and a reason. Used
 * on the turns of the session, except {@link #hasOpen}, {@link #openCalls} and {@link #hasAwaited}, which are called
 * between them.
 */
final class GuestCallRegistry {
    private final SessionLimits limits;
    private final SessionNotifier notifier;
    private final Set<Long> openCalls = new HashSet<>();
    private long lastOrdinal;
    private int toolCalls;
    private int openToolCalls;
    /** Calls that the prelude makes when fewer are open. */
    private int waitingToolCalls;

    private int serviceCalls;
    private int artifacts;
    private int approvalRequests;
    private int events;
    private final Set<Long> openServiceCalls = new HashSet<>();
    private final OpenCharsLimiter requestLimiter = new OpenCharsLimiter(OpenCharsLimiter.MAX_HOST_REQUEST_CHARS);
    /** Open calls whose answers will take long. */
    private final Set<Long> postponed = new HashSet<>();

    GuestCallRegistry(SessionLimits limits, SessionNotifier voice) {
        this.limits = limits;
        this.notifier = voice;
    }

    boolean hasOpen() {
        return !openCalls.isEmpty();
    }

    /** Returns the ordinals of the open calls, in ascending order. */
    List<Long> openCalls() {
        return openCalls.stream().sorted().toList();
    }

    /** Returns whether an open call exists whose answer may come soon. */
    boolean hasAwaited() {
        return openCalls.size() > postponed.size();
    }

    /** Marks an open call whose answer will take long. */
    void postpone(long call) {
        if (openCalls.contains(call)) {
            postponed.add(call);
        }
    }

    /** Completes a call. Returns whether its answer was still awaited. */
    boolean complete(long call) {
        postponed.remove(call);
        requestLimiter.release(call);
        notifier.callAnswered(call);
        boolean awaited = openCalls.remove(call);
        if (!openServiceCalls.remove(call) && awaited) {
            openToolCalls--;
        }
        return awaited;
    }

    /** Removes a host request whose answer the script no longer needs. */
    void abandonServiceCall(long call) {
        if (openServiceCalls.remove(call)) {
            openCalls.remove(call);
            postponed.remove(call);
        }
    }

    /** Returns whether the call is an open request to the host itself. */
    boolean isServiceCall(long call) {
        return openServiceCalls.contains(call);
    }

    /**
     * Starts a tool call. Returns its ordinal, or {@code !}, a code and a reason. Returns an empty text if the call
     * must wait until fewer calls are open: {@link #startWaitingToolCall}.
     */
    String startToolCall(String backend, String tool, String arguments) {
        if (backend.equals(HostServices.BACKEND)) {
            return "!tool-not-found There is no backend of this name";
        }
        if (backend.isEmpty() || backend.indexOf('.') >= 0 || tool.isEmpty()) {
            return "!tool-not-found There is no tool '" + backend + "." + tool + "'";
        }
        if (toolCalls + waitingToolCalls >= limits.toolCalls()) {
            return "!call-limit The script made its " + limits.toolCalls()
                    + " tool calls; raise limits.toolCalls for more";
        }
        if (openToolCalls >= limits.concurrentCalls()) {
            waitingToolCalls++;
            return "";
        }
        return startToolCallNow(backend, tool, arguments);
    }

    /** Starts the tool call that waits longest. Returns its ordinal, or an empty text if it must wait on. */
    String startWaitingToolCall(String backend, String tool, String arguments) {
        if (openToolCalls >= limits.concurrentCalls()) {
            return "";
        }
        waitingToolCalls--;
        return startToolCallNow(backend, tool, arguments);
    }

    /** Removes a tool call that waits. */
    void withdrawWaitingToolCall() {
        waitingToolCalls--;
    }

    private String startToolCallNow(String backend, String tool, String arguments) {
        toolCalls++;
        openToolCalls++;
        return register(backend, tool, arguments);
    }

    /** Starts a request to the host itself. Returns its ordinal, or {@code !}, a code and a reason. */
    String startServiceCall(String name, String arguments) {
        if (serviceCalls >= HostServices.MAX_SERVICE_CALLS) {
            return "!request-limit The script made its " + HostServices.MAX_SERVICE_CALLS
                    + " requests for events and artifacts; this limit is fixed";
        }
        if (name.equals(HostServices.EVENT_EMIT) && ++events > limits.events()) {
            return "!event-limit The script emitted its " + limits.events() + " events; raise limits.events for more";
        }
        if (name.equals(HostServices.APPROVAL_REQUEST) && ++approvalRequests > HostServices.MAX_APPROVAL_REQUESTS) {
            return "!request-limit The script asked people " + HostServices.MAX_APPROVAL_REQUESTS
                    + " times; this limit is fixed";
        }
        if (!requestLimiter.hasCapacity(arguments.length())) {
            return requestLimitRefusal();
        }
        serviceCalls++;
        requestLimiter.tryAdd(lastOrdinal + 1, arguments.length());
        String ordinal = register(HostServices.BACKEND, name, arguments);
        openServiceCalls.add(lastOrdinal);
        return ordinal;
    }

    /**
     * Starts writing an artifact from a text or a buffer. Returns the number of the call as text. If the write is
     * refused, returns {@code !code reason}.
     */
    String startArtifactWrite(String name, String kind, String contentType, Value content) {
        if (artifacts >= limits.artifacts()) {
            return "!artifact-limit The script wrote its " + limits.artifacts()
                    + " artifacts; raise limits.artifacts for more";
        }
        if (ByteFunctions.size(content) > limits.artifactBytes()) {
            return artifactSizeRefusal();
        } else if (!requestLimiter.hasCapacity((int) ByteFunctions.size(content) / 3 * 4)) {
            return requestLimitRefusal();
        }
        StringBuilder text = new StringBuilder((int) ByteFunctions.size(content) / 3 * 4 + 1_000);
        text.append("{\"name\":").append(JsonQuoter.quote(name));
        text.append(",\"kind\":").append(JsonQuoter.quote(kind));
        if (!contentType.isEmpty()) {
            text.append(",\"contentType\":").append(JsonQuoter.quote(contentType));
        }
        text.append(",\"data\":\"");
        int start = text.length();
        ByteFunctions.appendBase64(content, text);
        if ((text.length() - start) / 4 * 3 - 2 > limits.artifactBytes()) {
            return artifactSizeRefusal();
        }
        artifacts++;
        text.append("\"}");
        return startServiceCall(HostServices.ARTIFACT_WRITE, text.toString());
    }

    private static String requestLimitRefusal() {
        return "!request-limit The script's requests for events and artifacts hold "
                + OpenCharsLimiter.MAX_HOST_REQUEST_CHARS
                + " characters at one time and no more; await some of them first";
    }

    private String artifactSizeRefusal() {
        return "!artifact-too-large An artifact may have " + limits.artifactBytes()
                + " bytes; raise limits.artifactBytes or write several";
    }

    private String register(String backend, String tool, String arguments) {
        long ordinal = ++lastOrdinal;
        openCalls.add(ordinal);
        notifier.notifyToolCall(ordinal, backend, tool, arguments);
        return Long.toString(ordinal);
    }
}
