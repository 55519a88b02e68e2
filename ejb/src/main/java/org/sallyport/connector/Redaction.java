package org.sallyport.connector;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Replaces secrets, as they are, in Base64 and URL-encoded, in texts that others see. Thread-safe. */
public final class Redaction {
    /** Nothing is secret. */
    public static final Redaction NOTHING = new Redaction(List.of());

    private static final String CUT = "…";
    private static final String SHOWN = "[redacted]";
    /** Shorter ones would be found where they are not. */
    private static final int SHORTEST = 6;

    private final List<String> hidden;

    public Redaction(Collection<String> secrets) {
        this.hidden = secrets.stream()
                .filter(secret -> secret.length() >= SHORTEST)
                .flatMap(Redaction::forms)
                .distinct()
                .sorted(Comparator.comparing(String::length).reversed())
                .toList();
    }

    private static Stream<String> forms(String secret) {
        byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
        return Stream.of(
                secret,
                secret.replace("\\", "\\\\").replace("\"", "\\\""),
                Base64.getEncoder().withoutPadding().encodeToString(bytes),
                Base64.getUrlEncoder().withoutPadding().encodeToString(bytes),
                URLEncoder.encode(secret, StandardCharsets.UTF_8),
                URLEncoder.encode(secret, StandardCharsets.UTF_8).replace("+", "%20"));
    }

    /** {@code text} without secrets; the same instance when it has none. */
    public String of(String text) {
        String clean = text;
        for (String secret : hidden) {
            clean = clean.replace(secret, SHOWN);
        }
        return clean.indexOf(CUT) < 0 ? clean : withoutBeginnings(clean);
    }

    /** A text that was cut may end within a secret. */
    private String withoutBeginnings(String text) {
        String clean = text;
        for (String secret : hidden) {
            for (int length = secret.length() - 1; length >= SHORTEST; length--) {
                clean = clean.replace(secret.substring(0, length) + CUT, SHOWN + CUT);
            }
        }
        return clean;
    }
}
