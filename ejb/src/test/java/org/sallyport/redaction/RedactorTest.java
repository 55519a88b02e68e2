package org.sallyport.redaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedactorTest {
    private static final String SECRET = "hunter2/+\"ä~ \\&<zz";
    private final Redactor redaction = new Redactor(List.of(SECRET, "k1-4711-0815", "short"));

    @Test
    void secretIsRedactedInEveryEncoding() throws IOException {
        byte[] bytes = SECRET.getBytes(StandardCharsets.UTF_8);
        String url = URLEncoder.encode(SECRET, StandardCharsets.UTF_8);
        for (String form : List.of(
                SECRET,
                url,
                url.replace("+", "%20"),
                url.replace("+", "%20").toLowerCase(java.util.Locale.ROOT),
                url.replace("+", "%20").replace("%7E", "~"),
                HexFormat.of().formatHex(bytes),
                HexFormat.of().withUpperCase().formatHex(bytes),
                "hunter2/+\\\"ä~ \\\\&<zz",
                "hunter2\\/+\\\"ä~ \\\\&<zz",
                "hunter2/+\\\"\\u00e4~ \\\\\\u0026\\u003czz",
                "hunter2/+&quot;ä~ \\&amp;&lt;zz")) {
            assertThat(redaction.redact("<" + form + "|" + form + ">")).as(form).isEqualTo("<[redacted]|[redacted]>");
        }
        assertThat(redaction.redact("k1-4711-0815")).isEqualTo("[redacted]");
        assertThat(JsonRedactor.redact(
                        "{\"a\\\\\":[\"hunter2\\/+\\\"\\u00e4~\\u0020\\\\&<zz\",1.50,true,null,\"é\\n\"]}", redaction))
                .isEqualTo("{\"a\\\\\":[\"[redacted]\",1.50,true,null,\"é\\n\"]}");
    }

    @Test
    void base64SecretIsRedactedAtAnyOffset() {
        Random random = new Random(7);
        for (int length = 8; length < 40; length++) {
            byte[] secret = new byte[length];
            for (int i = 0; i < length; i++) {
                secret[i] = (byte) (' ' + random.nextInt(95));
            }
            String text = new String(secret, StandardCharsets.US_ASCII);
            Redactor one = new Redactor(List.of(text));
            for (int before = 0; before < 4; before++) {
                String around = "~".repeat(before) + text + "~?~";
                for (Base64.Encoder encoder : List.of(
                        Base64.getEncoder(),
                        Base64.getUrlEncoder(),
                        Base64.getUrlEncoder().withoutPadding())) {
                    String encoded = encoder.encodeToString(around.getBytes(StandardCharsets.US_ASCII));
                    String clean = one.redact(encoded);
                    assertThat(clean).contains("[redacted]");
                    // No bit of the secret remains: the text around the redacted part decodes to the text around the
                    // secret.
                    assertThat(clean.length()).isLessThan(encoded.length() - length * 8 / 6 + 11);
                }
            }
        }
    }

    @Test
    void textWithoutSecretsIsReturnedAsTheSameInstance() throws IOException {
        String clean = "nothing here, short as it is";
        assertThat(redaction.redact(clean)).isSameAs(clean);
        String json = "{\"a\":[\"line\\n\",1e5]}";
        assertThat(JsonRedactor.redact(json, redaction)).isSameAs(json);
        assertThat(Redactor.NONE.redact(SECRET)).isSameAs(SECRET);
        assertThat(Redactor.NONE.isEmpty()).isTrue();
    }

    @Test
    void secretIsRedactedInJsonNumbersAndMemberNames() throws IOException {
        Redactor number = new Redactor(List.of("4711471147"));
        assertThat(JsonRedactor.redact("{\"pin\":4711471147,\"4711471147\":[47114711]}", number))
                .isEqualTo("{\"pin\":\"[redacted]\",\"[redacted]\":[47114711]}");
        assertThat(JsonRedactor.redact("{\"a4711471147\":1,\"a4711471147\":2}", number))
                .isEqualTo("{\"a[redacted]\":1,\"a[redacted] 2\":2}");
    }

    @Test
    void truncatedSecretIsRedacted() {
        assertThat(redaction.redact("said: k1-4711-0…")).isEqualTo("said: [redacted]…");
        assertThat(redaction.redact("said: k1-4711-0")).isEqualTo("said: k1-4711-0");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5, 7, 11, 64})
    void streamRedactsSecretsThatSpanPieces(int size) {
        String text = "a k1-4711-0815\n" + "k1-4711".repeat(3) + "-0815 " + SECRET + " k1-4711-08";
        Redactor.RedactingStream stream = redaction.stream();
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < text.length(); i += size) {
            shown.append(stream.redactNext(text.substring(i, Math.min(text.length(), i + size))));
        }
        shown.append(stream.finish());
        assertThat(shown.toString())
                .hasSameSizeAs(text)
                .isEqualTo("a [redacted]**\nk1-4711k1-4711[redacted]** [redacted]******** k1-4711-08");
    }

    @Test
    void pieceWithoutASecretPrefixIsNotHeldBack() {
        assertThat(redaction.stream().redactNext("a line\n")).isEqualTo("a line\n");
        String piece = "x";
        assertThat(Redactor.NONE.stream().redactNext(piece)).isSameAs(piece);
    }

    @Test
    void manySecretsAreRedactedAsFastAsOne() {
        Random random = new Random(3);
        List<String> secrets = random.ints(500, 0, Integer.MAX_VALUE)
                .mapToObj(number -> "secret-" + number + "-" + random.nextLong())
                .toList();
        Redactor many = new Redactor(secrets);
        String text = "an ordinary answer of a tool, with words and numbers 123456 ".repeat(20_000);
        // The best of several runs, because other load on the machine does not last all the time.
        long best = Long.MAX_VALUE;
        for (int i = 0; i < 10; i++) {
            long begun = System.nanoTime();
            assertThat(many.redact(text)).isSameAs(text);
            best = Math.min(best, System.nanoTime() - begun);
        }
        assertThat(best).as("1.2 million characters").isLessThan(500_000_000L);
        assertThat(many.redact(text + secrets.get(499))).endsWith("[redacted]");
    }

    @Test
    void passwordOfACredentialPairIsASecretItself() {
        Redactor one = new Redactor(List.of("ada:open sesame", "bob:short", "https://host.example/path"));
        assertThat(one.redact("<ada:open sesame|open sesame|b3BlbiBzZXNhbWU=|b:short|short>"))
                .isEqualTo("<[redacted]|[redacted]|[redacted]=|b:short|short>");
        assertThat(one.redact("bob:short")).isEqualTo("[redacted]");
        assertThat(one.redact("https: ada")).isEqualTo("https: ada");
    }

    @Test
    void streamContinuesWithNewSecrets() {
        Redactor.RedactingStream before = new Redactor(List.of("abcdefghij")).stream();
        assertThat(before.redactNext("x abcdef")).isEqualTo("x ");
        Redactor.RedactingStream after =
                new Redactor(List.of("abcdefghij", "abcdefXYZ1")).stream().continueFrom(before);
        assertThat(after.redactNext("XYZ1.")).isEqualTo("[redacted].");
        assertThat(before.finish()).isEmpty();
    }
}
