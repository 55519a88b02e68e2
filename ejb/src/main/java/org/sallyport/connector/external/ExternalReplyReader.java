package org.sallyport.connector.external;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.sallyport.messaging.MalformedMessageException;
import org.sallyport.messaging.ToolReplyMessage;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/**
 * Parses replies of untrusted connectors: checks that their JSON is valid, allows only the error codes of the contract,
 * and limits the length of messages.
 */
final class ExternalReplyReader {
    private static final int MAX_DEPTH = 100;
    private static final int MAX_MESSAGE_LENGTH = 4_000;
    private static final int MAX_DETAILS_LENGTH = 65_536;
    private static final ObjectMapper STRICT_JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_DEPTH)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    /** Excludes the codes that only the service itself can determine. */
    private static final Set<ToolErrorCode> ALLOWED_CODES = EnumSet.of(
            ToolErrorCode.TOOL_FAILED,
            ToolErrorCode.INVALID_ARGUMENTS,
            ToolErrorCode.TOOL_NOT_FOUND,
            ToolErrorCode.TOOL_QUARANTINED,
            ToolErrorCode.TOOL_UNUSABLE,
            ToolErrorCode.BACKEND_STARTING,
            ToolErrorCode.BACKEND_UNAVAILABLE,
            ToolErrorCode.BACKEND_BUSY,
            ToolErrorCode.EGRESS_DENIED,
            ToolErrorCode.TIMEOUT,
            ToolErrorCode.CANCELLED,
            ToolErrorCode.OUTCOME_UNKNOWN,
            ToolErrorCode.TOO_LARGE);

    private ExternalReplyReader() {}

    /**
     * Parses a reply; throws {@link MalformedMessageException} if {@code body} is not a valid reply.
     *
     * @param repeatable whether the call may be sent twice; if not, a timeout that the connector reports means that the
     *     call may have had its effect
     */
    static ToolResult read(String body, boolean repeatable) {
        ToolResult result = ToolReplyMessage.decode(body).reply().result();
        if (result instanceof ToolResult.ToolSuccess success) {
            check("result", success.value());
            return result;
        }
        ToolError error = ((ToolResult.ToolFailure) result).error();
        Optional<Json> details = error.details().filter(json -> json.text().length() <= MAX_DETAILS_LENGTH);
        details.ifPresent(json -> check("error.details", json));
        String message = error.message();
        return new ToolResult.ToolFailure(new ToolError(
                code(error.code(), repeatable),
                message.length() > MAX_MESSAGE_LENGTH ? message.substring(0, MAX_MESSAGE_LENGTH) + "…" : message,
                details));
    }

    private static ToolErrorCode code(ToolErrorCode reported, boolean repeatable) {
        if (reported == ToolErrorCode.TIMEOUT && !repeatable) {
            return ToolErrorCode.OUTCOME_UNKNOWN;
        }
        return ALLOWED_CODES.contains(reported) ? reported : ToolErrorCode.TOOL_FAILED;
    }

    private static void check(String member, Json json) {
        try {
            if (STRICT_JSON.readTree(json.text()).isMissingNode()) {
                throw new MalformedMessageException(member + " is not JSON");
            }
        } catch (JsonProcessingException e) {
            throw new MalformedMessageException(
                    member + " is not JSON, or is nested deeper than " + MAX_DEPTH + " levels");
        }
    }
}
