package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.spec.McpSchema;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.web.JsonUtf8Writer;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;

/**
 * The result of an MCP tool.
 *
 * @param content an object as the tool's output schema describes it
 * @param failed whether the tool failed
 */
record ToolOutcome(ObjectNode content, boolean failed) {

    static CompletionStage<ToolOutcome> completed(ObjectNode content) {
        return completed(new ToolOutcome(content, false));
    }

    static CompletionStage<ToolOutcome> completed(ToolOutcome outcome) {
        return CompletableFuture.completedFuture(outcome);
    }

    /** Converts a problem: the code is the last part of its type, and its members stay available to programs. */
    static ToolOutcome of(Problem problem) {
        ObjectNode content = JsonNodeFactory.instance.objectNode();
        ObjectNode error = content.putObject("error");
        String type = problem.type().uri();
        error.put("code", type.substring(type.lastIndexOf(':') + 1));
        error.put("message", problem.detail());
        error.setAll(problem.members());
        return new ToolOutcome(content, true);
    }

    /**
     * The outcome of an accepted request; only its id and a note if the store is unavailable.
     *
     * @param what what was accepted
     * @param statusTool the tool that shows it
     */
    static ToolOutcome ofAccepted(String what, String id, String statusTool, Supplier<ToolOutcome> shown) {
        try {
            return shown.get();
        } catch (StoreUnavailableException e) {
            ToolOutcome unreadable = of(Problem.of(
                    ProblemType.UNAVAILABLE,
                    "the database does not answer",
                    members -> members.put("outcome", "stored")));
            unreadable
                    .content()
                    .put("id", id)
                    .put("note", "the " + what + " was accepted; call " + statusTool + " with its id shortly");
            return unreadable;
        }
    }

    /** Contains the object twice: structured, and as text for clients that do not read structured content. */
    McpSchema.CallToolResult toCallToolResult() {
        String text = new String(JsonUtf8Writer.bytes(content), StandardCharsets.UTF_8);
        return McpSchema.CallToolResult.builder()
                .content(List.of(McpSchema.TextContent.builder(text).build()))
                .structuredContent(content)
                .isError(failed)
                .build();
    }
}
