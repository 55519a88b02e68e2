package org.sallyport.web.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.catalog.PinnedToolDefinition;
import org.sallyport.connector.BackendSnapshot;
import org.sallyport.connector.CallSettings;
import org.sallyport.connector.LatencyHistogram;
import org.sallyport.connector.SecretReferences;
import org.sallyport.tool.Json;

/** Maps backends to JSON, without the secrets in their settings. */
final class BackendMapper {
    private static final ObjectMapper JSON = new ObjectMapper();

    private BackendMapper() {}

    /** One backend, without its settings and failure reasons, which reveal internals of the installation. */
    static ObjectNode backend(BackendSnapshot view) {
        BackendDefinition definition = view.definition();
        ObjectNode json = JSON.createObjectNode();
        json.put("name", definition.name());
        json.put("identifier", view.identifier());
        json.put("kind", definition.kind());
        json.put("enabled", definition.enabled());
        json.put("origin", definition.origin().name().toLowerCase(Locale.ROOT).replace('_', '-'));
        json.putObject("status")
                .put("state", view.status().state().name().toLowerCase(Locale.ROOT))
                .put("since", view.status().since().toString());
        ObjectNode breaker = json.putObject("breaker")
                .put("state", view.breaker().state().name().toLowerCase(Locale.ROOT));
        view.breaker().nextProbeAt().ifPresent(until -> breaker.put("until", until.toString()));
        json.putObject("calls")
                .put("running", view.calls().running())
                .put("waiting", view.calls().waiting())
                .put("answered", view.calls().answered())
                .put("failed", view.calls().failed())
                .put("retried", view.calls().retried())
                .put("dropped", view.calls().dropped());
        json.set("latency", latency(view.latency()));
        json.put("toolCount", view.toolCount());
        json.put("quarantinedCount", view.quarantinedCount());
        json.put("unusableCount", view.unusableCount());
        return json;
    }

    /**
     * One backend with the details for operators of the installation.
     *
     * @param secretSettings the settings whose values are masked; without it, no settings are shown
     * @param unusableTools why tools cannot be called because of their declarations, by their names
     */
    static ObjectNode details(
            BackendSnapshot view,
            Optional<Set<String>> secretSettings,
            List<PinnedToolDefinition> tools,
            Map<String, String> unusableTools,
            Map<String, LatencyHistogram.LatencyPercentiles> latencies) {
        ObjectNode json = backend(view);
        view.status().lastError().ifPresent(error -> json.withObject("/status").put("lastError", error));
        view.breaker()
                .lastFailure()
                .ifPresent(failure -> json.withObject("/breaker").put("lastFailure", failure));
        secretSettings.ifPresent(
                secret -> json.set("settings", masked(view.definition().settings(), secret)));
        var list = json.putArray("tools");
        tools.forEach(tool -> {
            ObjectNode shown = tool(view, tool);
            String reason = unusableTools.get(tool.name());
            if (reason != null) {
                shown.put("unusable", reason);
            }
            LatencyHistogram.LatencyPercentiles latency = latencies.get(tool.name());
            if (latency != null) {
                shown.set("latency", latency(latency));
            }
            list.add(shown);
        });
        return json;
    }

    private static ObjectNode latency(LatencyHistogram.LatencyPercentiles latency) {
        return JSON.createObjectNode()
                .put("calls", latency.count())
                .put("p50Millis", latency.p50Millis())
                .put("p95Millis", latency.p95Millis())
                .put("p99Millis", latency.p99Millis());
    }

    private static ObjectNode tool(BackendSnapshot view, PinnedToolDefinition tool) {
        ObjectNode json = JSON.createObjectNode();
        json.put("name", view.definition().name() + "." + tool.name());
        json.put("path", view.identifier() + "." + tool.names().identifier());
        json.put("original", tool.definition().declaredName());
        json.put("available", tool.available());
        json.put("quarantined", tool.isQuarantined());
        json.put("hash", tool.definition().hash());
        json.putRawValue("definition", new RawValue(tool.definition().toJson().text()));
        tool.pending().ifPresent(pending -> {
            json.put("pendingHash", pending.hash());
            json.putRawValue("pending", new RawValue(pending.toJson().text()));
        });
        return json;
    }

    private static JsonNode masked(Json settings, Set<String> secret) {
        JsonNode json = read(settings);
        secret.forEach(name -> {
            JsonNode value = json.path(name);
            if (value instanceof ObjectNode object) {
                object.properties().forEach(entry -> entry.setValue(masked(entry.getValue())));
            } else if (!value.isMissingNode() && json instanceof ObjectNode object) {
                object.set(name, masked(value));
            }
        });
        return json;
    }

    private static JsonNode masked(JsonNode value) {
        return value.isTextual() && SecretReferences.isReference(value.textValue())
                ? value
                : TextNode.valueOf(SecretReferences.MASK);
    }

    /**
     * Returns {@code sent} with the stored values of {@code before} where the client sent back a mask. Returns empty if
     * a stored secret would then go to another target than the one it was entered for.
     */
    static Optional<Json> unmasked(Json sent, String kind, BackendDefinition before, Set<String> secret) {
        JsonNode json = read(sent);
        JsonNode there = read(before.settings());
        JsonNode place = targetSettings(json, secret);
        boolean kept = false;
        for (String name : secret) {
            if (json.path(name) instanceof ObjectNode object) {
                for (Map.Entry<String, JsonNode> entry : object.properties()) {
                    JsonNode old = there.path(name).path(entry.getKey());
                    if (isMask(entry.getValue()) && !old.isMissingNode()) {
                        entry.setValue(old);
                        kept = true;
                    }
                }
            } else if (isMask(json.path(name)) && there.has(name) && json instanceof ObjectNode object) {
                object.set(name, there.get(name));
                kept = true;
            }
        }
        return kept && !(kind.equals(before.kind()) && place.equals(targetSettings(there, secret)))
                ? Optional.empty()
                : Optional.of(new Json(json.toString()));
    }

    /** The settings that say where a backend is and what is requested from it. */
    private static JsonNode targetSettings(JsonNode settings, Set<String> secret) {
        return settings.deepCopy() instanceof ObjectNode object
                ? object.remove(secret).remove(CallSettings.SETTING_NAMES)
                : settings;
    }

    private static boolean isMask(JsonNode value) {
        return SecretReferences.MASK.equals(value.textValue());
    }

    private static JsonNode read(Json json) {
        try {
            return JSON.readTree(json.text());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("the settings of a backend are not valid JSON", e);
        }
    }
}
