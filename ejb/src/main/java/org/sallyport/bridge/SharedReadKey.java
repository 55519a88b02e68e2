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
 * Identifies a read-only call by its content, independent of the caller. Calls with equal keys may share a reply.
 *
 * @param batch the batch whose calls may share a reply
 * @param tenant the tenant of the call
 * @param tool the tool as the catalog has it now; another schema, other hints or another backend give another key
 * @param hash SHA-256 of the grants and of the arguments, independent of the order of object members; hashed because
 *     callers write both, and they may be long
 */
public record SharedReadKey(BatchId batch, String tenant, CatalogTool tool, String hash) {
    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            // Exact decimals, so that two long numbers do not become equal by rounding.
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .nodeFactory(JsonNodeFactory.withExactBigDecimals(true))
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    /** Returns the key of a call; empty if the arguments have no canonical form. */
    public static Optional<SharedReadKey> of(
            BatchId batch, String tenant, List<String> grants, CatalogTool tool, Json arguments) {
        return hash(grants, arguments).map(hash -> new SharedReadKey(batch, tenant, tool, hash));
    }

    /** Returns the hash of grants and arguments; empty if the arguments have no canonical form. */
    public static Optional<String> hash(List<String> grants, Json arguments) {
        try {
            JsonNode tree = JSON.readTree(arguments.text());
            if (tree.isMissingNode()) {
                return Optional.empty();
            }
            // Conversion to plain maps, because only maps are written with sorted keys.
            String canonical = JSON.writeValueAsString(JSON.treeToValue(tree, Object.class));
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            // Each grant is prefixed with its length, so that two different inputs never give the same bytes.
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
