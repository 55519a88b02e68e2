package org.sallyport.it.security;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that the leak detector finds leaks, because a detector that finds nothing would make the other tests
 * meaningless.
 */
class LeakDetectorIT {
    private final LeakDetector leakDetector = new LeakDetector();
    private final String canary = leakDetector.plantCanary("somewhere");

    @ParameterizedTest
    @ValueSource(strings = {"", "x", "xy", "xyz", "xyz and more"})
    void canaryIsFoundInBase64AtAnyOffset(String before) {
        String text = Base64.getEncoder().encodeToString((before + canary + "after").getBytes(StandardCharsets.UTF_8));

        assertThat(leakDetector.findLeaks("<" + text + ">", List.of())).isNotEmpty();
    }

    @Test
    void canaryIsFoundInPlainTextAndUrls() {
        assertThat(leakDetector.findLeaks("x" + canary + "y", List.of())).isNotEmpty();
        assertThat(leakDetector.findLeaks("?q=" + URLEncoder.encode(canary, StandardCharsets.UTF_8), List.of()))
                .isNotEmpty();
    }

    @Test
    void internalNamesAreFoundUnlessTheCaseContainsThem() {
        assertThat(leakDetector.findLeaks("at java.lang.Thread.run", List.of())).containsExactly("java.lang");
        assertThat(leakDetector.findLeaks("at java.lang.Thread.run", List.of("java.lang")))
                .isEmpty();
        assertThat(leakDetector.findLeaks("an honest text", List.of())).isEmpty();
    }
}
