package org.sallyport.secret;

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

/** A secret in the forms in which it is met: as it is, and as programs write it into something else. */
final class Forms {
    private static final Pattern PERCENT = Pattern.compile("%[0-9A-F]{2}");
    /** As the HTTP scheme {@code Basic} has it: no user has a colon, a password may. */
    private static final Pattern LOGIN = Pattern.compile("[^:\\s]+:(\\S.*)");

    private static final String PEM = "-----BEGIN ";
    /** What JavaScript's encodeURIComponent leaves and URLEncoder does not, and what encodeURI leaves besides. */
    private static final String[][] LEFT_BY_COMPONENT = {
        {"%21", "!"}, {"%27", "'"}, {"%28", "("}, {"%29", ")"}, {"%7E", "~"}
    };

    private static final String[][] LEFT_BY_WHOLE = {
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

    private Forms() {}

    /**
     * A text to look for.
     *
     * @param before whether the character before it may hold bits of the secret too, as in Base64
     * @param after likewise behind it
     */
    record Form(String text, boolean before, boolean after) {
        Form(String text) {
            this(text, false, false);
        }
    }

    /**
     * All forms of a secret, and of the password alone where it is a user and a password apart by a colon; empty for one that is too
     * short to be told from other text.
     */
    static Set<Form> of(String stored) {
        // A line break at the end is a slip, and whoever echoes it may leave it out.
        String secret = stored.strip();
        Set<Form> forms = new LinkedHashSet<>(whole(secret));
        Matcher login = LOGIN.matcher(secret);
        if (login.matches()) {
            forms.addAll(whole(login.group(1)));
        }
        return forms;
    }

    private static Set<Form> whole(String secret) {
        Set<Form> forms = new LinkedHashSet<>();
        if (secret.length() < Redaction.SHORTEST) {
            return forms;
        }
        forms.add(new Form(secret));
        json(secret).forEach(text -> forms.add(new Form(text)));
        url(secret).forEach(text -> forms.add(new Form(text)));
        forms.add(new Form(html(secret)));
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        forms.add(new Form(HexFormat.of().formatHex(bytes)));
        forms.add(new Form(HexFormat.of().withUpperCase().formatHex(bytes)));
        for (int offset = 0; offset < 3; offset++) {
            forms.add(base64(Base64.getEncoder(), bytes, offset));
            forms.add(base64(Base64.getUrlEncoder(), bytes, offset));
        }
        if (secret.startsWith(PEM)) {
            // Programs show keys line by line.
            secret.lines()
                    .filter(line -> line.length() >= 16 && !line.startsWith("-----"))
                    .forEach(line -> forms.add(new Form(line)));
        }
        return forms;
    }

    /** The part that is the same whatever stands before and behind the secret in what was encoded. */
    private static Form base64(Base64.Encoder encoder, byte[] bytes, int offset) {
        byte[] shifted = new byte[offset + bytes.length];
        System.arraycopy(bytes, 0, shifted, offset, bytes.length);
        String all = encoder.withoutPadding().encodeToString(shifted);
        int from = offset == 0 ? 0 : offset + 1;
        int bits = shifted.length * 8;
        return new Form(all.substring(from, bits / 6), offset != 0, bits % 6 != 0);
    }

    private static List<String> url(String secret) {
        String form = URLEncoder.encode(secret, StandardCharsets.UTF_8);
        String component = form.replace("+", "%20");
        String script = replaced(component, LEFT_BY_COMPONENT);
        List<String> all = new ArrayList<>();
        for (String text : List.of(
                form,
                component,
                component.replace("*", "%2A"),
                component.replace("*", "%2A").replace("%7E", "~"),
                script,
                replaced(script, LEFT_BY_WHOLE))) {
            all.add(text);
            all.add(PERCENT.matcher(text).replaceAll(found -> found.group().toLowerCase(java.util.Locale.ROOT)));
        }
        return all;
    }

    private static String replaced(String text, String[][] pairs) {
        String result = text;
        for (String[] pair : pairs) {
            result = result.replace(pair[0], pair[1]);
        }
        return result;
    }

    /** As JSON texts within JSON texts hold it; the outermost JSON is read, not searched. */
    private static List<String> json(String secret) {
        String plain = json(secret, false, false);
        return List.of(
                plain,
                plain.replace("/", "\\/"),
                json(secret, true, false),
                json(secret, true, true),
                json(plain, false, false));
    }

    private static String json(String secret, boolean ascii, boolean upper) {
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

    private static String html(String secret) {
        return secret.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
