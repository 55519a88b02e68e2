package org.sallyport.submission;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Optional;
import org.sallyport.execution.Execution;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolError;
import org.sallyport.tool.ToolErrorCode;
import org.sallyport.tool.ToolResult;

/** Maps the end of a nested execution to the result of the call that it answers. Stateless. */
final class NestedResultMapper {
    private static final ObjectMapper JSON = new ObjectMapper();

    private NestedResultMapper() {}

    static ToolResult toToolResult(Execution ended) {
        if (ended.result().isPresent()) {
            return ToolResult.success(ended.result().get());
        }
        String name = ended.summary().capability().map(Object::toString).orElse("the capability");
        ObjectNode details = JSON.createObjectNode();
        details.put("execution", ended.id().toString());
        details.put("state", ended.state().name());
        ended.error().ifPresent(error -> details.put("code", error.code()));
        String why = ended.error()
                .map(error -> "failed: " + error.message())
                .orElseGet(() -> "was cancelled (execution " + ended.id() + ")");
        return new ToolResult.ToolFailure(new ToolError(
                ToolErrorCode.CAPABILITY_FAILED, name + " " + why, Optional.of(new Json(details.toString()))));
    }
}
