package org.sallyport.web.mcp;

import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import org.jspecify.annotations.Nullable;

/** Ends the handling of a message with a JSON-RPC error. */
final class JsonRpcException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int code;
    private final transient @Nullable Object id;

    /** @param id the id of the faulty request; null if it has none */
    JsonRpcException(int code, @Nullable Object id, String message) {
        super(message);
        this.code = code;
        this.id = id;
    }

    static JsonRpcException invalidRequest(@Nullable Object id, String message) {
        return new JsonRpcException(ErrorCodes.INVALID_REQUEST, id, message);
    }

    static JsonRpcException invalidParams(@Nullable Object id, String message) {
        return new JsonRpcException(ErrorCodes.INVALID_PARAMS, id, message);
    }

    int code() {
        return code;
    }

    @Nullable Object id() {
        return id;
    }

    /**
     * The HTTP status of the error: an error of a valid request is a normal answer, any other message is a bad request.
     */
    int httpStatus() {
        return id == null || code == ErrorCodes.INVALID_REQUEST ? 400 : 200;
    }
}
