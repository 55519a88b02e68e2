package org.sallyport.web.mcp;

import org.sallyport.web.Sha256Hash;

/**
 * Derives the MCP tool name of a capability: at most 64 letters, digits, _ and -, as clients require, and unique per
 * capability.
 */
final class CapabilityToolName {
    private static final String PREFIX = "capability-";
    private static final String DOT_REPLACEMENT = "__";
    private static final int MAX_LENGTH = 64;
    private static final int HASH_CHARS = 10;

    private CapabilityToolName() {}

    static boolean isCapabilityTool(String name) {
        return name.startsWith(PREFIX);
    }

    static String toolName(String capability) {
        String plain = PREFIX + capability.replace(".", DOT_REPLACEMENT);
        // A hash distinguishes names whose underscores are ambiguous or that are too long.
        boolean clear =
                !capability.contains(DOT_REPLACEMENT) && !capability.contains("_.") && !capability.contains("._");
        return clear && plain.length() <= MAX_LENGTH
                ? plain
                : plain.substring(0, Math.min(plain.length(), MAX_LENGTH - HASH_CHARS - 1)) + "-"
                        + Sha256Hash.of(capability).substring(0, HASH_CHARS);
    }
}
