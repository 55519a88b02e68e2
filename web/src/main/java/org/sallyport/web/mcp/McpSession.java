package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.auth.Caller;
import org.sallyport.cache.RecentEntries;
import org.sallyport.tracecontext.TraceContext;
import org.sallyport.tracecontext.TraceHeaders;

/** A session of one client. Only the key that opened it can use it; the session id alone is not enough. Thread-safe. */
final class McpSession {
    /** Maximum number of open requests of one session. */
    static final int MAX_PENDING_REQUESTS = 64;

    private final McpStreamableServerSession sdk;
    private final String keyId;
    private final String tenant;
    private final Map<Object, PendingRequest> pendingRequests = new ConcurrentHashMap<>();
    /**
     * Requests whose connection was lost before their answer. Their executions continue, and the client can still
     * cancel them.
     */
    private final RecentEntries<Object, PendingRequest> abandonedRequests = new RecentEntries<>(MAX_PENDING_REQUESTS);

    private volatile Instant usedAt;

    McpSession(McpStreamableServerSession sdk, Caller owner, Instant now) {
        this.sdk = sdk;
        this.keyId = owner.id();
        this.tenant = owner.tenant();
        this.usedAt = now;
    }

    String id() {
        return sdk.getId();
    }

    McpStreamableServerSession sdk() {
        return sdk;
    }

    String keyId() {
        return keyId;
    }

    String tenant() {
        return tenant;
    }

    boolean belongsTo(Caller caller) {
        return keyId.equals(caller.id()) && tenant.equals(caller.tenant());
    }

    Instant usedAt() {
        return usedAt;
    }

    void usedAt(Instant now) {
        usedAt = now;
    }

    /** Whether no request is open. */
    boolean isIdle() {
        return pendingRequests.isEmpty();
    }

    /**
     * Registers a request.
     *
     * @throws JsonRpcException if its id is in use or too many requests are open
     */
    PendingRequest openRequest(JsonRpcReader.JsonRpcRequest request, Caller caller) {
        PendingRequest call = new PendingRequest(withTraceContext(caller, request.params()), request.params());
        if (pendingRequests.size() >= MAX_PENDING_REQUESTS) {
            throw JsonRpcException.invalidRequest(
                    request.id(), MAX_PENDING_REQUESTS + " requests of this session are open; wait for one of them");
        }
        if (pendingRequests.putIfAbsent(request.id(), call) != null) {
            throw JsonRpcException.invalidRequest(request.id(), "a request with this id is open");
        }
        abandonedRequests.remove(request.id());
        return call;
    }

    /** The trace context of the message takes precedence over that of the HTTP request. */
    private static Caller withTraceContext(Caller caller, JsonNode params) {
        JsonNode meta = params.path("_meta");
        return TraceContext.of(
                        meta.path(TraceHeaders.TRACEPARENT).textValue(),
                        meta.path(TraceHeaders.TRACESTATE).textValue())
                .map(caller::withTrace)
                .orElse(caller);
    }

    /** Records that the request was answered. */
    void complete(Object requestId, PendingRequest call) {
        pendingRequests.remove(requestId, call);
        call.complete();
    }

    /** Records that the client disconnected before the request was answered. */
    void abandon(Object requestId, PendingRequest call) {
        pendingRequests.remove(requestId, call);
        abandonedRequests.put(requestId, call);
        call.abandon();
    }

    /** Cancels a request of the client. Has no effect if the request is unknown or already answered. */
    void cancel(Object requestId) {
        PendingRequest call = pendingRequests.get(requestId);
        if (call == null) {
            call = abandonedRequests.remove(requestId);
        }
        if (call != null) {
            call.cancel();
        }
    }
}
