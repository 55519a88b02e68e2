package org.sallyport.script;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.sallyport.execution.ScriptLanguage;

/**
 * Hash by which two scripts are the same. Line ends, a byte order mark and surrounding white space do not count,
 * because they do not change the behavior of a script; everything else counts.
 */
public final class ScriptHash {
    private ScriptHash() {}

    /** Returns the SHA-256 of language and normal form, as {@code sha256-} and hexadecimal digits. */
    public static String of(ScriptLanguage language, String code) {
        MessageDigest digest = sha256();
        digest.update((language.name() + ";").getBytes(StandardCharsets.US_ASCII));
        digest.update(utf16Bytes(normalize(code)));
        return "sha256-" + HexFormat.of().formatHex(digest.digest());
    }

    /** Returns two bytes per character: an encoder would map all lone surrogates to the same replacement. */
    public static byte[] utf16Bytes(String text) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(text.length(), Character.BYTES));
        bytes.asCharBuffer().put(text);
        return bytes.array();
    }

    /** JavaScript treats all line ends alike, even within texts, and ignores white space around a script. */
    static String normalize(String code) {
        String text = code.startsWith("\uFEFF") ? code.substring(1) : code;
        return text.replace("\r\n", "\n").replace('\r', '\n').strip();
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
