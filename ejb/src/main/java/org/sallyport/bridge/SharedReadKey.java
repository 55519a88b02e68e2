package org.sallyport.bridge;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.BatchId;
import org.sallyport.script.ScriptHash;
import org.sallyport.tool.Json;

/**
 * What a call asks of a tool that only reads, in the same words whoever asks.
 *
 * @param batch whose calls may be answered the same
 * @param tenant whose it is
 * @param tool as the catalog has it now: another schema, other hints or another backend make another question
 * @param hash SHA-256 of what may be called by who asks, and of the arguments, whatever the order of their members; callers write both, and they may be long
 */
public record SharedReadKey(BatchId batch, String tenant, CatalogTool tool, String hash) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            // No two numbers are the same only because they are long.
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    /** Empty for arguments of which nobody can say whether they are the same as others. */
    public static Optional<SharedReadKey> of(
            BatchId batch, String tenant, List<String> grants, CatalogTool tool, Json arguments) {
        return hash(grants, arguments).map(hash -> new SharedReadKey(batch, tenant, tool, hash));
    }

    /** Of what may be called and of the arguments; empty for arguments of which nobody can say whether they are the same as others. */
    public static Optional<String> hash(List<String> grants, Json arguments) {
        try {
            JsonNode tree = JSON.readTree(arguments.text());
            if (tree.isMissingNode()) {
                return Optional.empty();
            }
            // Through plain maps, which are written in the order of their keys.
            String canonical = JSON.writeValueAsString(JSON.treeToValue(tree, Object.class));
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            // With its length before it: no two questions are the same bytes.
            for (String grant : new TreeSet<>(grants)) {
                digest.update(ScriptHash.utf16Bytes(grant.length() + ";" + grant));
            }
            digest.update(ScriptHash.utf16Bytes(";" + canonical));
            return Optional.of(HexFormat.of().formatHex(digest.digest()));
        } catch (JsonProcessingException e) {
            return Optional.empty();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
