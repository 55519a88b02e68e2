package org.sallyport.runner;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.sallyport.sandbox.HostServices;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/** Removes artifact content from the trace of host service calls, because that content is stored elsewhere. */
public final class HostCallTrace {
    private static final ObjectMapper JSON = new ObjectMapper();

    private HostCallTrace() {}

    /** Returns arguments or a result for display, without artifact content. */
    public static Json withoutContent(ToolName tool, Json json) {
        return removeContent(tool, json, false);
    }

    /**
     * Returns arguments for the journal, with a hash in place of the artifact content. The hash tells whether a later
     * run makes the same call.
     */
    static Json withContentHash(ToolName tool, Json json) {
        return removeContent(tool, json, true);
    }

    private static Json removeContent(ToolName tool, Json json, boolean hashed) {
        if (!tool.backend().equals(HostServices.BACKEND)
                || !json.text().contains("\"data\"")
                || !json.text().contains("\"kind\"")) {
            return json;
        }
        try {
            if (!(JSON.readTree(json.text()) instanceof ObjectNode object) || !object.has("kind")) {
                return json;
            }
            if (hashed && object.hasNonNull("data")) {
                object.put("sha256", sha256(object.path("data").asText()));
            }
            return new Json(object.without("data").toString());
        } catch (JsonProcessingException unreadable) {
            return Json.NULL;
        }
    }

    private static String sha256(String base64) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(base64.getBytes(StandardCharsets.ISO_8859_1));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
