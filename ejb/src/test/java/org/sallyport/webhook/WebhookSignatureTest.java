package org.sallyport.webhook;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;
import org.sallyport.webhook.WebhookSignature.SignatureScheme;

class WebhookSignatureTest {
    private static final String KEY = "It's a Secret to Everybody";
    private static final byte[] BODY = "Hello, World!".getBytes(StandardCharsets.UTF_8);
    /** Published by GitHub as a test of receivers, for this key and this body. */
    private static final String OF_BODY = "757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";

    private static final Instant NOW = Instant.ofEpochSecond(1_780_930_845);

    private static boolean body(String header) {
        return new WebhookSignature(SignatureScheme.BODY, "X", "s")
                .verify(header, KEY, BODY, NOW)
                .isPresent();
    }

    private static boolean timestamped(String header) {
        return new WebhookSignature(SignatureScheme.TIMESTAMPED, "X", "s")
                .verify(header, KEY, BODY, NOW)
                .isPresent();
    }

    private static String signed(String time) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(KEY.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
            mac.update((time + ".").getBytes(StandardCharsets.UTF_8));
            return "t=" + time + ",v1=" + HexFormat.of().formatHex(mac.doFinal(BODY));
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void signatureOfTheBodyIsAccepted() {
        assertThat(body(OF_BODY)).isTrue();
        assertThat(body("sha256=" + OF_BODY)).isTrue();
        for (String wrong : new String[] {
            "", "sha256=", OF_BODY.toUpperCase(Locale.ROOT), OF_BODY + "0", OF_BODY.replace('7', '8'), "x".repeat(9_000)
        }) {
            assertThat(body(wrong)).as(wrong).isFalse();
        }
    }

    @Test
    void signatureOfTimeAndBodyIsAcceptedForFiveMinutes() {
        long now = NOW.getEpochSecond();
        assertThat(timestamped(signed("" + now))).isTrue();
        assertThat(timestamped(signed("" + (now - 300)))).isTrue();
        assertThat(timestamped(signed("" + (now + 300)))).isTrue();
        assertThat(timestamped(signed("" + (now - 301)))).isFalse();
        assertThat(timestamped(signed("" + (now + 301)))).isFalse();
        assertThat(timestamped(signed("" + now).replace("v1=", "v1=00, v1="))).isTrue();
        assertThat(timestamped(signed("" + now).replace("t=" + now, "t=" + (now - 1))))
                .isFalse();
        for (String wrong : new String[] {"", "t=", "t=" + now, "v1=x", "t=-1,v1=x", "t=" + "9".repeat(20) + ",v1=x"}) {
            assertThat(timestamped(wrong)).as(wrong).isFalse();
        }
    }

    @Test
    void verifiedSignatureDoesNotDependOnTheFormOfTheHeader() {
        WebhookSignature ofBody = new WebhookSignature(SignatureScheme.BODY, "X", "s");
        assertThat(ofBody.verify("sha256=" + OF_BODY, KEY, BODY, NOW)).contains(OF_BODY);
        WebhookSignature ofTime = new WebhookSignature(SignatureScheme.TIMESTAMPED, "X", "s");
        String header = signed("" + NOW.getEpochSecond());
        assertThat(ofTime.verify("v1=00, " + header + ",x=1", KEY, BODY, NOW))
                .isPresent()
                .isEqualTo(ofTime.verify(header, KEY, BODY, NOW));
    }

    @Test
    void tokensAreLongAndDifferent() {
        SecureRandom random = new SecureRandom();
        String token = InboundWebhookToken.generate(random);
        assertThat(InboundWebhookToken.isWellFormed(token)).isTrue();
        assertThat(InboundWebhookToken.isWellFormed(token + "x")).isFalse();
        assertThat(InboundWebhookToken.generate(random)).isNotEqualTo(token);
        assertThat(InboundWebhookToken.hash(token)).hasSize(64);
    }
}
