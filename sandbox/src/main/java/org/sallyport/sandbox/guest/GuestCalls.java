package org.sallyport.sandbox.guest;

import java.util.HashSet;
import java.util.Set;
import org.graalvm.polyglot.Value;
import org.sallyport.sandbox.HostServices;
import org.sallyport.sandbox.OpenRequests;
import org.sallyport.sandbox.SessionLimits;

/**
 * The calls of one session: numbers them, and refuses those beyond its limits with {@code !}, a code and why. Used on the
 * session's turns, but for {@link #anyOpen} and {@link #anyAwaited}, which are asked between them.
 */
final class GuestCalls {
    private final SessionLimits limits;
    private final GuestVoice voice;
    private final Set<Long> open = new HashSet<>();
    private long ordinals;
    private int toolCalls;
    private int openTools;
    private int serviceCalls;
    private int artifacts;
    private int questions;
    private int events;
    private final Set<Long> openServices = new HashSet<>();
    private final OpenRequests requests = new OpenRequests();
    /** Open ones whose answers will take long. */
    private final Set<Long> postponed = new HashSet<>();

    GuestCalls(SessionLimits limits, GuestVoice voice) {
        this.limits = limits;
        this.voice = voice;
    }

    boolean anyOpen() {
        return !open.isEmpty();
    }

    /** Whether an answer may come soon. */
    boolean anyAwaited() {
        return open.size() > postponed.size();
    }

    /** The answer to a call will take long. */
    void postpone(long call) {
        if (open.contains(call)) {
            postponed.add(call);
        }
    }

    /** Whether an answer to this call is awaited; it is no more afterwards. */
    boolean close(long call) {
        postponed.remove(call);
        requests.answered(call);
        boolean awaited = open.remove(call);
        if (!openServices.remove(call) && awaited) {
            openTools--;
        }
        return awaited;
    }

    /** The script no longer cares for the answer to a request. */
    void forget(long call) {
        if (openServices.remove(call)) {
            open.remove(call);
            postponed.remove(call);
        }
    }

    /** Whether the open call is one of the host itself. */
    boolean isService(long call) {
        return openServices.contains(call);
    }

    /** Begins a call of a tool; its ordinal, or {@code !}, a code and why not. */
    String tool(String backend, String tool, String arguments) {
        if (backend.equals(HostServices.BACKEND)) {
            return "!tool-not-found There is no backend of this name";
        }
        if (backend.isEmpty() || backend.indexOf('.') >= 0 || tool.isEmpty()) {
            return "!tool-not-found There is no tool '" + backend + "." + tool + "'";
        }
        if (toolCalls >= limits.toolCalls()) {
            return "!call-limit The script made its " + limits.toolCalls()
                    + " tool calls; raise limits.toolCalls for more";
        }
        if (openTools >= limits.concurrentCalls()) {
            return "!call-limit " + limits.concurrentCalls()
                    + " tool calls are open at once already; await some of them first, or"
                    + " raise limits.concurrentCalls";
        }
        toolCalls++;
        openTools++;
        return begin(backend, tool, arguments);
    }

    /** Asks the host itself; the ordinal, or {@code !}, a code and why not. */
    String service(String name, String arguments) {
        if (serviceCalls >= HostServices.MAX_CALLS) {
            return "!request-limit The script made its " + HostServices.MAX_CALLS
                    + " requests of events and artifacts; this limit is fixed";
        }
        if (name.equals(HostServices.EVENT_EMIT) && ++events > limits.events()) {
            return "!event-limit The script emitted its " + limits.events() + " events; raise limits.events for more";
        }
        if (name.equals(HostServices.APPROVAL_REQUEST) && ++questions > HostServices.MAX_QUESTIONS) {
            return "!request-limit The script asked people " + HostServices.MAX_QUESTIONS
                    + " times; this limit is fixed";
        }
        if (!requests.hasRoom(arguments.length())) {
            return tooMuch();
        }
        serviceCalls++;
        requests.add(ordinals + 1, arguments.length());
        String ordinal = begin(HostServices.BACKEND, name, arguments);
        openServices.add(ordinals);
        return ordinal;
    }

    /** Writes an artifact, given as a text or a buffer of bytes; the ordinal, or {@code !}, a code and why not. */
    String artifact(String name, String kind, String contentType, Value content) {
        if (artifacts >= limits.artifacts()) {
            return "!artifact-limit The script wrote its " + limits.artifacts()
                    + " artifacts; raise limits.artifacts for more";
        }
        if (GuestBytes.size(content) > limits.artifactBytes()) {
            return tooLarge();
        } else if (!requests.hasRoom((int) GuestBytes.size(content) / 3 * 4)) {
            return tooMuch();
        }
        StringBuilder text = new StringBuilder((int) GuestBytes.size(content) / 3 * 4 + 1_000);
        text.append("{\"name\":").append(JsonText.quoted(name));
        text.append(",\"kind\":").append(JsonText.quoted(kind));
        if (!contentType.isEmpty()) {
            text.append(",\"contentType\":").append(JsonText.quoted(contentType));
        }
        text.append(",\"data\":\"");
        int start = text.length();
        GuestBytes.appendBase64(content, text);
        if ((text.length() - start) / 4 * 3 - 2 > limits.artifactBytes()) {
            return tooLarge();
        }
        artifacts++;
        text.append("\"}");
        return service(HostServices.ARTIFACT_WRITE, text.toString());
    }

    private static String tooMuch() {
        return "!request-limit The script's requests of events and artifacts hold " + OpenRequests.MAX_CHARS
                + " characters at one time and no more; await some of them first";
    }

    private String tooLarge() {
        return "!artifact-too-large An artifact may have " + limits.artifactBytes()
                + " bytes; raise limits.artifactBytes or write several";
    }

    private String begin(String backend, String tool, String arguments) {
        long ordinal = ++ordinals;
        open.add(ordinal);
        voice.call(ordinal, backend, tool, arguments);
        return Long.toString(ordinal);
    }
}
