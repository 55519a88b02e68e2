package org.sallyport.journal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.sallyport.tool.Json;

/**
 * Stands in the journal in place of arguments for which it had no room. Contains their hash, which tells whether a
 * later run makes the same call.
 */
public final class OmittedArguments {
    private static final String START = "{\"omitted\":{\"sha256\":\"";
    private static final int MAX_LENGTH = START.length() + 64 + "\",\"chars\":2147483647}}".length();

    private OmittedArguments() {}

    /** Returns the form in which the journal has the arguments of a call that it had no room for. */
    public static Json of(Json arguments) {
        return of(sha256(arguments.text()), arguments.text().length());
    }

    static Json of(String sha256, int length) {
        return new Json(START + sha256 + "\",\"chars\":" + length + "}}");
    }

    /** Returns whether the arguments have this form. Those of a script may have it too. */
    public static boolean isForm(Json arguments) {
        return arguments.text().length() <= MAX_LENGTH && arguments.text().startsWith(START);
    }

    static String sha256(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
