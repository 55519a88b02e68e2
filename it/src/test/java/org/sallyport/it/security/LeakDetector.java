package org.sallyport.it.security;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds leaked texts: canaries that no caller of the attacking tenant may see, by the place where they are planted, and
 * words that reveal internals of the service. Thread-safe.
 */
final class LeakDetector {
    private static final int BASE64_ALIGNMENTS = 3;
    private static final List<String> INTERNAL_WORDS =
            List.of("org.sallyport", "java.lang", "com.oracle", "graalvm", "/tmp/", "exception in", "payara");

    private final Map<String, String> canariesByPlace = new ConcurrentHashMap<>();
    private final List<String> internalWords = new ArrayList<>(INTERNAL_WORDS);

    /** Creates a canary for a place. */
    String plantCanary(String place) {
        String canary = "canary+" + place + "/" + java.util.UUID.randomUUID();
        canariesByPlace.put(place, canary);
        return canary;
    }

    /** Registers an existing secret. */
    void watchSecret(String place, String secret) {
        canariesByPlace.put(place, secret);
    }

    /** Registers a path or word of this machine. */
    void addInternalWord(String word) {
        internalWords.add(word.toLowerCase(Locale.ROOT));
    }

    /**
     * Returns the places whose canaries occur in a text, and the internal words in it, except permitted ones. Empty if
     * nothing leaks.
     */
    List<String> findLeaks(String text, List<String> permitted) {
        List<String> leaks = new ArrayList<>();
        canariesByPlace.forEach((place, canary) -> encodings(canary).forEach((form, shown) -> {
            if (text.contains(shown)) {
                leaks.add(place + " (" + form + ")");
            }
        }));
        String lower = text.toLowerCase(Locale.ROOT);
        internalWords.stream()
                .filter(word -> lower.contains(word) && !permitted.contains(word))
                .forEach(leaks::add);
        return leaks;
    }

    private static Map<String, String> encodings(String canary) {
        byte[] bytes = canary.getBytes(StandardCharsets.UTF_8);
        Map<String, String> forms = new LinkedHashMap<>();
        forms.put("plain", canary);
        forms.put("URL", URLEncoder.encode(canary, StandardCharsets.UTF_8));
        forms.put("hex", HexFormat.of().formatHex(bytes));
        for (int shift = 0; shift < BASE64_ALIGNMENTS; shift++) {
            // Within a longer text the canary may begin at any position of a group of three bytes.
            byte[] shifted = java.util.Arrays.copyOfRange(
                    bytes, shift, bytes.length - (bytes.length - shift) % BASE64_ALIGNMENTS);
            forms.put("base64+" + shift, Base64.getEncoder().encodeToString(shifted));
        }
        return forms;
    }
}
