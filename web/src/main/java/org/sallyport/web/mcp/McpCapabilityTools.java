package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.spec.McpSchema;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.submission.CapabilityRunService;
import org.sallyport.tool.Json;
import org.sallyport.web.api.BoundedJson;

/**
 * Offers the capabilities of a tenant as MCP tools: the stable version of each, with its own schema. A call of such a
 * tool becomes a call of {@code run_capability}. Thread-safe.
 */
@Dependent
public class McpCapabilityTools {
    /** More tools would fill the agent's context. The agent can run the other capabilities by name. */
    static final int MAX_TOOLS = 100;

    private static final int MAX_DESCRIPTION_LENGTH = 1_000;
    private static final String ARGS = "args";
    private static final McpSchema.ToolAnnotations HINTS =
            new McpSchema.ToolAnnotations(null, false, true, false, true, null);

    private final CapabilityStore store;
    private final CapabilityRunService runs;

    @Inject
    public McpCapabilityTools(CapabilityStore store, CapabilityRunService runs) {
        this.store = store;
        this.runs = runs;
    }

    /** The tenant's capability tools, sorted by name, at most {@link #MAX_TOOLS}. */
    List<McpSchema.Tool> list(String tenant) {
        return names(tenant).entrySet().stream()
                .flatMap(each ->
                        stable(tenant, each.getValue()).map(capability -> tool(each.getKey(), capability)).stream())
                .toList();
    }

    private Map<String, String> names(String tenant) {
        Map<String, String> names = new LinkedHashMap<>();
        store.searchNames(tenant, "", "", MAX_TOOLS)
                .forEach(name -> names.put(CapabilityToolName.toolName(name), name));
        return names;
    }

    private Optional<Capability> stable(String tenant, String name) {
        return runs.find(tenant, name, CapabilityVersionSummary.STABLE);
    }

    /** Converts the call into parameters of {@code run_capability}; empty if the tenant has no such tool. */
    Optional<ObjectNode> toRunCapability(String tenant, ObjectNode params) {
        String tool = params.path("name").asText();
        if (!CapabilityToolName.isCapabilityTool(tool)) {
            return Optional.empty();
        }
        return Optional.ofNullable(names(tenant).get(tool))
                .flatMap(name -> stable(tenant, name))
                .map(capability -> runCapabilityParams(params, capability));
    }

    private static ObjectNode runCapabilityParams(ObjectNode params, Capability capability) {
        ObjectNode call = params.objectNode();
        call.setAll(params);
        JsonNode given = params.path("arguments");
        ObjectNode arguments = call.put("name", RunCapability.NAME).putObject("arguments");
        arguments.put("capability", capability.name());
        if (takesObject(capability)) {
            arguments.set(ARGS, given.isObject() ? given : JsonNodeFactory.instance.objectNode());
        } else if (given.has(ARGS)) {
            arguments.set(ARGS, given.path(ARGS));
        }
        return call;
    }

    private static McpSchema.Tool tool(String name, Capability capability) {
        String description = capability.definition().description();
        String shown = description.length() > MAX_DESCRIPTION_LENGTH
                ? description.substring(0, MAX_DESCRIPTION_LENGTH) + "…"
                : description;
        return McpSchema.Tool.builder(name)
                .title(capability.name() + " " + capability.version())
                .description(shown.isBlank() ? "Runs the capability " + capability.name() + "." : shown)
                .inputSchema(schema(capability))
                .annotations(HINTS)
                .build();
    }

    private static boolean takesObject(Capability capability) {
        return capability
                .definition()
                .inputSchema()
                .map(schema -> parse(schema).path("type").asText().equals("object"))
                .orElse(true);
    }

    /**
     * An MCP tool takes an object. A capability that takes another type gets its argument as a member of that object.
     */
    @SuppressWarnings("unchecked")
    private static Map<String, Object> schema(Capability capability) {
        Optional<Json> own = capability.definition().inputSchema();
        ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        if (own.isPresent() && takesObject(capability)) {
            schema.setAll((ObjectNode) parse(own.get()));
        } else if (own.isPresent()) {
            schema.putObject("properties").set(ARGS, parse(own.get()));
            schema.putArray("required").add(ARGS);
        }
        return JsonRpcWriter.MAPPER.convertValue(schema, Map.class);
    }

    private static JsonNode parse(Json json) {
        return BoundedJson.parseStored(json);
    }
}
