package org.sallyport.script;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.sallyport.execution.ScriptLanguage;

/**
 * What two scripts are the same by. Line ends, a byte order mark and blank space around the whole make no difference, as they make none to what
 * a script does; all else does.
 */
public final class ScriptHash {
    private ScriptHash() {}

    /** SHA-256 of language and normal form, as {@code sha256-} and hexadecimal digits. */
    public static String of(ScriptLanguage language, String code) {
        MessageDigest digest = sha256();
        digest.update((language.name() + ";").getBytes(StandardCharsets.US_ASCII));
        digest.update(utf16Bytes(normalize(code)));
        return "sha256-" + HexFormat.of().formatHex(digest.digest());
    }

    /** Two a character: every encoding would make one of all lone surrogates. */
    public static byte[] utf16Bytes(String text) {
        ByteBuffer bytes = ByteBuffer.allocate(Math.multiplyExact(text.length(), Character.BYTES));
        bytes.asCharBuffer().put(text);
        return bytes.array();
    }

    /** The language reads all line ends as one, even within texts; blank space around a script is nothing. */
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
