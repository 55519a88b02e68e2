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
    static final int MOST_CALLS = 64;

    private final McpStreamableServerSession sdk;
    private final String keyId;
    private final String tenant;
    private final Map<Object, OpenCall> calls = new ConcurrentHashMap<>();
    /** Those whose connection has gone before their answer: what they began goes on, and can be taken back. */
    private final Map<Object, OpenCall> dropped = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, OpenCall> eldest) {
            return size() > MOST_CALLS;
        }
    };

    private volatile Instant usedAt;

    McpSession(McpStreamableServerSession sdk, Caller owner, Instant now) {
        this.sdk = sdk;
        this.keyId = owner.keyId();
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
        return keyId.equals(caller.keyId()) && tenant.equals(caller.tenant());
    }

    Instant usedAt() {
        return usedAt;
    }

    void usedAt(Instant now) {
        usedAt = now;
    }

    /** Whether it waits for nothing. */
    boolean isIdle() {
        return calls.isEmpty();
    }

    /** Opens a call; {@link RpcException} when its id is in use or too many are open. */
    OpenCall open(Incoming.Request request, Caller caller) {
        OpenCall call = new OpenCall(traced(caller, request.params()), request.params());
        if (calls.size() >= MOST_CALLS) {
            throw RpcException.invalid(
                    request.id(), MOST_CALLS + " requests of this session are open; wait for one of them");
        }
        if (calls.putIfAbsent(request.id(), call) != null) {
            throw RpcException.invalid(request.id(), "a request with this id is open");
        }
        synchronized (dropped) {
            dropped.remove(request.id());
        }
        return call;
    }

    /** What the message says of its trace goes before what its transport says. */
    private static Caller traced(Caller caller, JsonNode params) {
        JsonNode meta = params.path("_meta");
        return TraceContext.of(
                        meta.path(TraceHeaders.TRACEPARENT).textValue(),
                        meta.path(TraceHeaders.TRACESTATE).textValue())
                .map(caller::in)
                .orElse(caller);
    }

    /** The call is answered. */
    void close(Object requestId, OpenCall call) {
        calls.remove(requestId, call);
        call.end();
    }

    /** The client of the call has gone before it was answered. */
    void drop(Object requestId, OpenCall call) {
        calls.remove(requestId, call);
        synchronized (dropped) {
            dropped.put(requestId, call);
        }
        call.drop();
    }

    /** The client takes a request back; nothing happens when it is none that is open. */
    void cancel(Object requestId) {
        OpenCall call = calls.get(requestId);
        if (call == null) {
            synchronized (dropped) {
                call = dropped.remove(requestId);
            }
        }
        if (call != null) {
            call.cancel();
        }
    }
}
