package org.sallyport.web.mcp;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** How the tool of a capability is called: by 64 letters, digits, _ and - at most, as clients want it, and no two alike. */
final class CapabilityName {
    private static final String PREFIX = "capability-";
    private static final String DOT = "__";
    private static final int LONGEST = 64;
    private static final int HASH_CHARS = 10;

    private CapabilityName() {}

    static boolean isTool(String name) {
        return name.startsWith(PREFIX);
    }

    static String tool(String capability) {
        String plain = PREFIX + capability.replace(".", DOT);
        // Where the underscores could be read in two ways, or are too many, a hash tells names apart.
        boolean clear = !capability.contains(DOT) && !capability.contains("_.") && !capability.contains("._");
        return clear && plain.length() <= LONGEST
                ? plain
                : plain.substring(0, Math.min(plain.length(), LONGEST - HASH_CHARS - 1)) + "-" + hash(capability);
    }

    private static String hash(String name) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest).substring(0, HASH_CHARS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
