package org.sallyport.submission;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.sallyport.script.ScriptHash;

/** A SHA-256 over texts, each with its length, so that different texts never yield the same bytes. */
final class InputDigest {
    private final MessageDigest digest;

    InputDigest() {
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    InputDigest add(@Nullable String text) {
        digest.update((text == null ? "-;" : text.length() + ";").getBytes(StandardCharsets.US_ASCII));
        if (text != null) {
            digest.update(ScriptHash.utf16Bytes(text));
        }
        return this;
    }

    /** The hash of what was added, hexadecimal. */
    String hex() {
        return HexFormat.of().formatHex(digest.digest());
    }
}
