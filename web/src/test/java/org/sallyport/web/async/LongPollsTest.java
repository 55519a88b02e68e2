package org.sallyport.web.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

class LongPollsTest {
    private static final Caller ADA = new Caller("ada", "tenant", Set.of(Role.SUBMITTER));
    private static final Caller BOB = new Caller("bob", "tenant", Set.of(Role.SUBMITTER));

    private final LongPolls longPolls = new LongPolls();

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    LongPollsTest() {
        longPolls.configuration = Configuration.read(Map.of("sallyport.limits.max-long-polls", "2"), Map.of());
    }

    @Test
    void longPollsPerKeyAreLimitedUntilOneEnds() {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> second = new CompletableFuture<>();
        longPolls.start(ADA, () -> first);
        longPolls.start(ADA, () -> second);

        assertThat(longPolls.<String>tryStart(ADA, CompletableFuture::new)).isEmpty();
        assertThatThrownBy(() -> longPolls.<String>start(ADA, CompletableFuture::new))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().type()).isEqualTo(ProblemType.RATE_LIMITED));
        assertThat(longPolls.<String>tryStart(BOB, CompletableFuture::new)).isPresent();
        first.complete("done");
        second.completeExceptionally(new IllegalStateException("lost"));
        assertThat(longPolls.<String>tryStart(ADA, CompletableFuture::new)).isPresent();
        assertThat(longPolls.<String>tryStart(ADA, CompletableFuture::new)).isPresent();
        assertThat(longPolls.<String>tryStart(ADA, CompletableFuture::new)).isEmpty();
    }

    @Test
    void longPollThatFailsToStartIsNotCounted() {
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> longPolls.<String>start(ADA, () -> {
                        throw new IllegalStateException("no");
                    }))
                    .isInstanceOf(IllegalStateException.class);
        }

        assertThat(longPolls.<String>tryStart(ADA, CompletableFuture::new)).isPresent();
    }
}
