package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.modelcontextprotocol.spec.McpSchema;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.VersionSummary;
import org.sallyport.submission.CapabilityRuns;
import org.sallyport.tool.Json;
import org.sallyport.web.api.StrictJson;

/**
 * The capabilities of a tenant as tools of their own: the version that is stable, with its own schema. A call of one is a call of
 * {@code run_capability}. Thread-safe.
 */
@Dependent
public class CapabilityTools {
    /** More would leave an agent little room for anything else; the others can be run by their names. */
    static final int MOST = 100;

    private static final int LONGEST_DESCRIPTION = 1_000;
    private static final String ARGS = "args";
    private static final McpSchema.ToolAnnotations HINTS =
            new McpSchema.ToolAnnotations(null, false, true, false, true, null);

    private final CapabilityStore store;
    private final CapabilityRuns runs;

    @Inject
    public CapabilityTools(CapabilityStore store, CapabilityRuns runs) {
        this.store = store;
        this.runs = runs;
    }

    /** Those of the tenant, by name, at most {@link #MOST}. */
    List<McpSchema.Tool> list(String tenant) {
        return names(tenant).entrySet().stream()
                .flatMap(each ->
                        stable(tenant, each.getValue()).map(capability -> tool(each.getKey(), capability)).stream())
                .toList();
    }

    private Map<String, String> names(String tenant) {
        Map<String, String> names = new LinkedHashMap<>();
        store.names(tenant, "", "", MOST).forEach(name -> names.put(CapabilityName.tool(name), name));
        return names;
    }

    private Optional<Capability> stable(String tenant, String name) {
        return runs.find(tenant, name, VersionSummary.STABLE);
    }

    /** The same call by {@code run_capability}; empty when the tenant has no such tool. */
    Optional<ObjectNode> call(String tenant, ObjectNode params) {
        String tool = params.path("name").asText();
        if (!CapabilityName.isTool(tool)) {
            return Optional.empty();
        }
        return Optional.ofNullable(names(tenant).get(tool))
                .flatMap(name -> stable(tenant, name))
                .map(capability -> renamed(params, capability));
    }

    private static ObjectNode renamed(ObjectNode params, Capability capability) {
        ObjectNode call = params.deepCopy();
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
        String description = capability.content().description();
        String shown = description.length() > LONGEST_DESCRIPTION
                ? description.substring(0, LONGEST_DESCRIPTION) + "…"
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
                .content()
                .inputSchema()
                .map(schema -> tree(schema).path("type").asText().equals("object"))
                .orElse(true);
    }

    /** A tool takes an object; a capability that takes something else takes it as a member. */
    @SuppressWarnings("unchecked")
    private static Map<String, Object> schema(Capability capability) {
        Optional<Json> own = capability.content().inputSchema();
        ObjectNode schema = JsonNodeFactory.instance.objectNode().put("type", "object");
        if (own.isPresent() && takesObject(capability)) {
            schema.setAll((ObjectNode) tree(own.get()));
        } else if (own.isPresent()) {
            schema.putObject("properties").set(ARGS, tree(own.get()));
            schema.putArray("required").add(ARGS);
        }
        return Wire.MAPPER.convertValue(schema, Map.class);
    }

    private static JsonNode tree(Json json) {
        return StrictJson.tree(json.text().getBytes(StandardCharsets.UTF_8));
    }
}
