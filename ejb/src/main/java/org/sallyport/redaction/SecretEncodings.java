package org.sallyport.redaction;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The forms in which a secret may occur in a text: plain, and in common encodings. */
final class SecretEncodings {
    private static final Pattern PERCENT = Pattern.compile("%[0-9A-F]{2}");
    /** The content of the HTTP scheme {@code Basic}: a user name has no colon, a password may have. */
    private static final Pattern USER_AND_PASSWORD = Pattern.compile("[^:\\s]+:(\\S.*)");

    private static final String PEM = "-----BEGIN ";
    /**
     * Characters that JavaScript's encodeURIComponent leaves unescaped and URLEncoder does not, and those that
     * encodeURI leaves in addition.
     */
    private static final String[][] UNESCAPED_BY_COMPONENT = {
        {"%21", "!"}, {"%27", "'"}, {"%28", "("}, {"%29", ")"}, {"%7E", "~"}
    };

    private static final String[][] UNESCAPED_BY_URI = {
        {"%3B", ";"},
        {"%2C", ","},
        {"%2F", "/"},
        {"%3F", "?"},
        {"%3A", ":"},
        {"%40", "@"},
        {"%26", "&"},
        {"%3D", "="},
        {"%2B", "+"},
        {"%24", "$"},
        {"%23", "#"}
    };

    private SecretEncodings() {}

    /**
     * A text to search for.
     *
     * @param mayStartEarlier whether the character before it may hold bits of the secret too, as in Base64
     * @param mayEndLater whether the character after it may hold bits of the secret too
     */
    record EncodedForm(String text, boolean mayStartEarlier, boolean mayEndLater) {
        EncodedForm(String text) {
            this(text, false, false);
        }
    }

    /**
     * Returns all forms of a secret. For a user name and password separated by a colon, includes the forms of the
     * password alone. Empty for a secret that is too short to be distinguished from other text.
     */
    static Set<EncodedForm> of(String stored) {
        // A line break at the end is usually a mistake, and a program that prints the secret may omit it.
        String secret = stored.strip();
        Set<EncodedForm> forms = new LinkedHashSet<>(encodingsOf(secret));
        Matcher login = USER_AND_PASSWORD.matcher(secret);
        if (login.matches()) {
            forms.addAll(encodingsOf(login.group(1)));
        }
        return forms;
    }

    private static Set<EncodedForm> encodingsOf(String secret) {
        Set<EncodedForm> forms = new LinkedHashSet<>();
        if (secret.length() < Redactor.MIN_SECRET_LENGTH) {
            return forms;
        }
        forms.add(new EncodedForm(secret));
        jsonEscaped(secret).forEach(text -> forms.add(new EncodedForm(text)));
        urlEncoded(secret).forEach(text -> forms.add(new EncodedForm(text)));
        forms.add(new EncodedForm(htmlEscaped(secret)));
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        forms.add(new EncodedForm(HexFormat.of().formatHex(bytes)));
        forms.add(new EncodedForm(HexFormat.of().withUpperCase().formatHex(bytes)));
        for (int offset = 0; offset < 3; offset++) {
            forms.add(base64(Base64.getEncoder(), bytes, offset));
            forms.add(base64(Base64.getUrlEncoder(), bytes, offset));
        }
        if (secret.startsWith(PEM)) {
            // Programs print keys line by line.
            secret.lines()
                    .filter(line -> line.length() >= 16 && !line.startsWith("-----"))
                    .forEach(line -> forms.add(new EncodedForm(line)));
        }
        return forms;
    }

    /** Returns the part of the encoding that does not depend on the text before and after the secret. */
    private static EncodedForm base64(Base64.Encoder encoder, byte[] bytes, int offset) {
        byte[] shifted = new byte[offset + bytes.length];
        System.arraycopy(bytes, 0, shifted, offset, bytes.length);
        String all = encoder.withoutPadding().encodeToString(shifted);
        int from = offset == 0 ? 0 : offset + 1;
        int bits = shifted.length * 8;
        return new EncodedForm(all.substring(from, bits / 6), offset != 0, bits % 6 != 0);
    }

    private static List<String> urlEncoded(String secret) {
        String form = URLEncoder.encode(secret, StandardCharsets.UTF_8);
        String component = form.replace("+", "%20");
        String script = replaceAll(component, UNESCAPED_BY_COMPONENT);
        List<String> all = new ArrayList<>();
        for (String text : List.of(
                form,
                component,
                component.replace("*", "%2A"),
                component.replace("*", "%2A").replace("%7E", "~"),
                script,
                replaceAll(script, UNESCAPED_BY_URI))) {
            all.add(text);
            all.add(PERCENT.matcher(text).replaceAll(found -> found.group().toLowerCase(java.util.Locale.ROOT)));
        }
        return all;
    }

    private static String replaceAll(String text, String[][] pairs) {
        String result = text;
        for (String[] pair : pairs) {
            result = result.replace(pair[0], pair[1]);
        }
        return result;
    }

    /** Covers JSON texts inside JSON texts. The outermost JSON is parsed, not searched. */
    private static List<String> jsonEscaped(String secret) {
        String plain = jsonEscaped(secret, false, false);
        return List.of(
                plain,
                plain.replace("/", "\\/"),
                jsonEscaped(secret, true, false),
                jsonEscaped(secret, true, true),
                jsonEscaped(plain, false, false));
    }

    private static String jsonEscaped(String secret, boolean ascii, boolean upper) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < secret.length(); i++) {
            char c = secret.charAt(i);
            switch (c) {
                case '"' -> text.append("\\\"");
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                    if (c < 0x20 || (ascii && (c > 0x7e || "<>&'".indexOf(c) >= 0))) {
                        text.append(String.format(upper ? "\\u%04X" : "\\u%04x", (int) c));
                    } else {
                        text.append(c);
                    }
                }
            }
        }
        return text.toString();
    }

    private static String htmlEscaped(String secret) {
        return secret.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
