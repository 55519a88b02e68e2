package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.spec.McpStreamableServerSession;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.sallyport.access.Caller;
import org.sallyport.tracecontext.TraceContext;
import org.sallyport.tracecontext.TraceHeaders;

/** One client's session: his, whoever else knows its id. Thread-safe. */
final class McpSession {
    /** As many as one client may well wait for at one time. */
    static final int MAX_PENDING_REQUESTS = 64;

    private final McpStreamableServerSession sdk;
    private final String keyId;
    private final String tenant;
    private final Map<Object, PendingRequest> pendingRequests = new ConcurrentHashMap<>();
    /** Those whose connection has gone before their answer: what they began goes on, and can be taken back. */
    private final Map<Object, PendingRequest> abandonedRequests = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, PendingRequest> eldest) {
            return size() > MAX_PENDING_REQUESTS;
        }
    };

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

    /** Whether it waits for nothing. */
    boolean isIdle() {
        return pendingRequests.isEmpty();
    }

    /** Opens a call; {@link JsonRpcException} when its id is in use or too many are open. */
    PendingRequest openRequest(JsonRpcReader.JsonRpcRequest request, Caller caller) {
        PendingRequest call = new PendingRequest(withTraceContext(caller, request.params()), request.params());
        if (pendingRequests.size() >= MAX_PENDING_REQUESTS) {
            throw JsonRpcException.invalidRequest(
                    request.id(), MAX_PENDING_REQUESTS + " requests of this session are open; wait for one of them");
        }
        if (pendingRequests.putIfAbsent(request.id(), call) != null) {
            throw JsonRpcException.invalidRequest(request.id(), "a request with this id is open");
        }
        synchronized (abandonedRequests) {
            abandonedRequests.remove(request.id());
        }
        return call;
    }

    /** What the message says of its trace goes before what its transport says. */
    private static Caller withTraceContext(Caller caller, JsonNode params) {
        JsonNode meta = params.path("_meta");
        return TraceContext.of(
                        meta.path(TraceHeaders.TRACEPARENT).textValue(),
                        meta.path(TraceHeaders.TRACESTATE).textValue())
                .map(caller::withTrace)
                .orElse(caller);
    }

    /** The call is answered. */
    void complete(Object requestId, PendingRequest call) {
        pendingRequests.remove(requestId, call);
        call.complete();
    }

    /** The client of the call has gone before it was answered. */
    void abandon(Object requestId, PendingRequest call) {
        pendingRequests.remove(requestId, call);
        synchronized (abandonedRequests) {
            abandonedRequests.put(requestId, call);
        }
        call.abandon();
    }

    /** The client takes a request back; nothing happens when it is none that is open. */
    void cancel(Object requestId) {
        PendingRequest call = pendingRequests.get(requestId);
        if (call == null) {
            synchronized (abandonedRequests) {
                call = abandonedRequests.remove(requestId);
            }
        }
        if (call != null) {
            call.cancel();
        }
    }
}
