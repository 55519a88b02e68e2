package org.sallyport.web.mcp;

import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import org.jspecify.annotations.Nullable;

/** Ends the handling of a message with a JSON-RPC error. */
final class RpcException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int code;
    private final transient @Nullable Object id;

    /** @param id of the request that is at fault, when it has one */
    RpcException(int code, @Nullable Object id, String message) {
        super(message);
        this.code = code;
        this.id = id;
    }

    static RpcException invalid(@Nullable Object id, String message) {
        return new RpcException(ErrorCodes.INVALID_REQUEST, id, message);
    }

    static RpcException parameters(@Nullable Object id, String message) {
        return new RpcException(ErrorCodes.INVALID_PARAMS, id, message);
    }

    int code() {
        return code;
    }

    @Nullable Object id() {
        return id;
    }

    /** Of a request that was one, the error is the answer; what was none is a bad request. */
    int status() {
        return id == null || code == ErrorCodes.INVALID_REQUEST ? 400 : 200;
    }
}
