package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import io.modelcontextprotocol.server.McpAsyncServerExchange;
import io.modelcontextprotocol.server.McpServerFeatures.AsyncToolSpecification;
import io.modelcontextprotocol.spec.McpSchema;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;
import org.sallyport.web.api.ProblemMapper;
import org.sallyport.web.security.RoleFilter;
import reactor.core.publisher.Mono;

/** The built-in tools, each offered to the roles that its class names. */
@Dependent
public class McpTools {
    private final Map<String, McpTool> tools = new LinkedHashMap<>();

    @Inject
    public McpTools(@Any Instance<McpTool> found) {
        this((Iterable<McpTool>) found);
    }

    McpTools(Iterable<McpTool> found) {
        found.forEach(tool -> tools.put(tool.name(), tool));
    }

    /** The tool descriptions of {@code tools.json}. */
    static List<McpSchema.Tool> descriptions() {
        try (InputStream in = Objects.requireNonNull(McpTools.class.getResourceAsStream("tools.json"))) {
            JsonNode descriptions = JsonRpcWriter.MAPPER.readTree(in);
            return descriptions
                    .valueStream()
                    .map(each -> JsonRpcWriter.MAPPER.convertValue(each, McpSchema.Tool.class))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The tools in the form that the SDK takes. */
    List<AsyncToolSpecification> specifications() {
        List<McpSchema.Tool> descriptions = descriptions();
        if (descriptions.size() != tools.size()) {
            throw new IllegalStateException("tools.json describes other tools than " + tools.keySet());
        }
        return descriptions.stream()
                .map(description -> {
                    McpTool tool = Objects.requireNonNull(tools.get(description.name()), description.name());
                    return AsyncToolSpecification.builder()
                            .tool(description)
                            .callHandler((exchange, request) -> Mono.fromCompletionStage(
                                    () -> call(tool, exchange, request).thenApply(ToolOutcome::toCallToolResult)))
                            .build();
                })
                .toList();
    }

    /** Whether there is a tool of this name. */
    boolean has(String name) {
        return tools.containsKey(name);
    }

    /** Whether there is a tool of this name and the caller may use it. */
    boolean has(Caller caller, String name) {
        McpTool tool = tools.get(name);
        return tool != null && RoleFilter.hasAnyRole(caller, RoleFilter.allowedRoles(tool.getClass()));
    }

    private CompletionStage<ToolOutcome> call(
            McpTool tool, McpAsyncServerExchange exchange, McpSchema.CallToolRequest request) {
        PendingRequest open = (PendingRequest) exchange.transportContext().get(PendingRequest.CONTEXT_KEY);
        if (!has(open.caller(), tool.name())) {
            return CompletableFuture.completedFuture(ToolOutcome.of(Problem.of(
                    ProblemType.FORBIDDEN, RoleFilter.missingRoleDetail(RoleFilter.allowedRoles(tool.getClass())))));
        }
        try {
            return tool.call(new ToolCallContext(open, exchange, request.progressToken()))
                    .exceptionally(failure -> ToolOutcome.of(ProblemMapper.problem(failure)));
        } catch (RuntimeException e) {
            return CompletableFuture.completedFuture(ToolOutcome.of(ProblemMapper.problem(e)));
        }
    }
}
