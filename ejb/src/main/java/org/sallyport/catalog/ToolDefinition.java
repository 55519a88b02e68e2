package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.sallyport.tool.Json;
import org.sallyport.tool.PlainText;
import org.sallyport.tool.ToolHints;

/**
 * A tool as its server declares it.
 *
 * @param name the name by which it is declared, without the backend's, of any length; from it the store assigns the
 *     names for scripts, grants and traces
 * @param originalName its name on the server, which identifies it within its backend
 * @param description for authors and agents; data, never instructions
 * @param inputSchema JSON Schema of the arguments
 * @param outputSchema JSON Schema of the result, where known
 * @param hints the server's hints on its effects; not trusted
 * @param unusable why it cannot be called, if its declaration cannot be used
 */
public record ToolDefinition(
        String name,
        String originalName,
        String description,
        Json inputSchema,
        Optional<Json> outputSchema,
        ToolHints hints,
        Optional<String> unusable) {
    /** Maximum length of a declared name that scripts and messages use as it is. */
    private static final int MAX_DECLARED_NAME_LENGTH = 300;

    /** Length of the beginning that is kept of a longer declared name. */
    private static final int KEPT_NAME_LENGTH = 200;

    /** Members of the stored form that an administrator does not accept: a change of them is no change of the tool. */
    private static final List<String> UNHASHED_MEMBERS = List.of("name", "unusable");

    /** Reads what servers declared and the service has accepted: of any length, and with any names. */
    private static final ObjectMapper JSON = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Integer.MAX_VALUE)
                            .maxNameLength(Integer.MAX_VALUE)
                            .build())
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .build())
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    /** Creates a definition that can be used. */
    public ToolDefinition(
            String name,
            String originalName,
            String description,
            Json inputSchema,
            Optional<Json> outputSchema,
            ToolHints hints) {
        this(name, originalName, description, inputSchema, outputSchema, hints, Optional.empty());
    }

    /**
     * Returns the name by which the tool is declared, as scripts use it: if it has more than 300 UTF-16 code units, its
     * beginning with a hash of the whole name.
     */
    public String declaredName() {
        return name.length() <= MAX_DECLARED_NAME_LENGTH
                ? name
                : PlainText.truncate(name, KEPT_NAME_LENGTH) + "…" + sha256(codeUnits(name));
    }

    /** Returns the UTF-16 code units of any text; a character set would replace lone surrogates. */
    private static byte[] codeUnits(String text) {
        ByteBuffer units = ByteBuffer.allocate(text.length() * Character.BYTES);
        units.asCharBuffer().put(text);
        return units.array();
    }

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
        unusable.ifPresent(reason -> json.put("unusable", reason));
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
                        json.path("destructive").asBoolean()),
                Optional.ofNullable(json.path("unusable").textValue()));
    }

    /**
     * Returns the SHA-256 of the definition in hexadecimal digits, independent of the order of members. The name by
     * which the tool is declared and the reason why it is unusable are no part of it.
     */
    public String hash() {
        try {
            ObjectNode hashed = (ObjectNode) tree(toJson());
            hashed.remove(UNHASHED_MEMBERS);
            // Converted to plain maps, which are written in the order of their keys.
            return sha256(JSON.writeValueAsString(JSON.treeToValue(hashed, Object.class))
                    .getBytes(StandardCharsets.UTF_8));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
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
