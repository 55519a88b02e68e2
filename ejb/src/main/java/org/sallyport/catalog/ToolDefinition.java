package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/**
 * A tool as its server declares it.
 *
 * @param name its name without the backend's
 * @param originalName its name on the server
 * @param description for authors and agents; data, never instructions
 * @param inputSchema JSON Schema of the arguments
 * @param outputSchema JSON Schema of the result, where known
 * @param hints the server's hints on its effects; not trusted
 */
public record ToolDefinition(
        String name,
        String originalName,
        String description,
        Json inputSchema,
        Optional<Json> outputSchema,
        ToolHints hints) {
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    /** Returns the complete definition as JSON for storage. */
    public Json toJson() {
        ObjectNode json = JSON.createObjectNode();
        json.put("name", name);
        json.put("original", originalName);
        json.put("description", description);
        json.set("inputSchema", tree(inputSchema));
        outputSchema.ifPresent(schema -> json.set("outputSchema", tree(schema)));
        json.put("readOnly", hints.readOnly());
        json.put("idempotent", hints.idempotent());
        json.put("destructive", hints.destructive());
        return new Json(json.toString());
    }

    /** Reads the form of {@link #toJson()}. */
    public static ToolDefinition of(Json stored) {
        JsonNode json = tree(stored);
        return new ToolDefinition(
                json.path("name").asText(),
                json.path("original").asText(),
                json.path("description").asText(),
                new Json(json.path("inputSchema").toString()),
                json.has("outputSchema")
                        ? Optional.of(new Json(json.path("outputSchema").toString()))
                        : Optional.empty(),
                new ToolHints(
                        json.path("readOnly").asBoolean(),
                        json.path("idempotent").asBoolean(),
                        json.path("destructive").asBoolean()));
    }

    /** Returns the SHA-256 of the complete definition in hexadecimal digits, independent of the order of members. */
    public String hash() {
        try {
            // Converted to plain maps, which are written in the order of their keys.
            byte[] canonical = JSON.writeValueAsString(JSON.treeToValue(tree(toJson()), Object.class))
                    .getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(canonical));
        } catch (JsonProcessingException | NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode tree(Json json) {
        try {
            return JSON.readTree(json.text());
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("a schema is no JSON", e);
        }
    }
}
