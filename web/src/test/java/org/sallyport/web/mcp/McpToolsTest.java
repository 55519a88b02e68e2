package org.sallyport.web.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.modelcontextprotocol.spec.McpSchema;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.web.openapi.ApiOperations;
import org.sallyport.web.security.RoleFilter;

class McpToolsTest {
    /** The operation of the REST API that is equivalent to each tool of an agent. */
    private static final Map<Class<?>, String> REST_EQUIVALENTS = Map.ofEntries(
            Map.entry(RunScript.class, "POST /api/v1/executions"),
            Map.entry(SubmitScript.class, "POST /api/v1/executions"),
            Map.entry(RunCapability.class, "POST /api/v1/executions"),
            Map.entry(RunSavedScript.class, "POST /api/v1/executions"),
            Map.entry(ListSavedScripts.class, "GET /api/v1/scripts"),
            Map.entry(GetSavedScript.class, "GET /api/v1/scripts/{name}"),
            Map.entry(DeleteSavedScript.class, "DELETE /api/v1/scripts/{name}"),
            Map.entry(EmitEvent.class, "POST /api/v1/events"),
            Map.entry(ExecuteByMode.class, "GET /api/v1/executions"),
            Map.entry(RunTests.class, "POST /api/v1/tests"),
            Map.entry(ExecutionStatus.class, "GET /api/v1/executions/{id}"),
            Map.entry(CancelExecution.class, "POST /api/v1/executions/{id}/cancel"),
            Map.entry(ListExecutions.class, "GET /api/v1/executions"),
            Map.entry(SearchTools.class, "GET /api/v1/tools"),
            Map.entry(GetToolInterface.class, "GET /api/v1/tools"),
            Map.entry(ApprovalElicitor.class, "POST /api/v1/approvals/{id}/approve"),
            Map.entry(RunBatch.class, "POST /api/v1/batches"),
            Map.entry(BatchStatus.class, "GET /api/v1/batches/{id}"),
            Map.entry(CancelBatch.class, "POST /api/v1/batches/{id}/cancel"));

    @Test
    void toolsAllowTheSameRolesAsRest() {
        REST_EQUIVALENTS.forEach((tool, operation) -> {
            var method = Objects.requireNonNull(ApiOperations.resourceMethods().get(operation), operation);
            assertThat(RoleFilter.allowedRoles(tool))
                    .as(tool.getSimpleName())
                    .isEqualTo(RoleFilter.allowedRoles(method, method.getDeclaringClass()));
        });
    }

    @Test
    void everyToolIsFullyDescribed() {
        List<McpSchema.Tool> tools = McpTools.descriptions();
        assertThat(tools).hasSize(REST_EQUIVALENTS.size() - 1);
        tools.forEach(tool -> {
            assertThat(tool.name()).matches("[a-z_]{1,64}");
            assertThat(tool.title()).isNotBlank();
            assertThat(tool.description()).endsWith(".");
            assertThat(tool.inputSchema()).containsEntry("type", "object").containsEntry("additionalProperties", false);
            assertThat(tool.outputSchema()).containsEntry("type", "object");
            assertThat(tool.annotations().readOnlyHint()).isNotNull();
            assertThat(tool.annotations().destructiveHint()).isNotNull();
            assertThat(tool.annotations().idempotentHint()).isNotNull();
            assertThat(tool.annotations().openWorldHint()).isNotNull();
        });
    }

    @Test
    void instructionsNameTheConfiguredLimits() {
        String text = ServerInstructions.text(
                Configuration.read(Map.of("sallyport.limits.default-tool-calls", "77"), Map.of()));
        assertThat(text)
                .contains("77 tool calls", "run_script", "await", "return")
                .doesNotContain("{wall", "Seconds}");
        assertThat(text.length()).isLessThan(3_000);
    }

    @Test
    void scriptThatCallsAToolOfTheEndpointGetsAHint() throws IOException {
        try (InputStream hints = Objects.requireNonNull(
                McpToolsTest.class.getResourceAsStream("/org/sallyport/sandbox/guest/hints.js"))) {
            String text = new String(hints.readAllBytes(), StandardCharsets.UTF_8);
            McpTools.descriptions().forEach(tool -> assertThat(text).contains("    " + tool.name() + ": "));
        }
    }

    @Test
    void guideNamesEveryToolAndItsRoles() throws IOException {
        String guide = Files.readString(Path.of("..", "docs", "mcp.md"));
        Set<String> names = new TreeSet<>();
        McpTools.descriptions().forEach(tool -> names.add(tool.name()));
        REST_EQUIVALENTS.keySet().stream()
                .filter(McpTool.class::isAssignableFrom)
                .forEach(tool -> {
                    String name = tool.getSimpleName()
                            .replaceAll("(?<=.)(?=[A-Z])", "_")
                            .toLowerCase(Locale.ROOT)
                            .replace("_by_mode", "");
                    assertThat(names).contains(name);
                    String roles = Arrays.stream(Role.values())
                            .filter(RoleFilter.allowedRoles(tool)::contains)
                            .map(role -> role.name().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(", "));
                    assertThat(guide).containsPattern("\\| `" + name + "` \\|.*\\| " + roles + " \\|");
                });
    }
}
