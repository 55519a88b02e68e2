package org.sallyport.web.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

class WaitsTest {
    private static final Caller ADA = new Caller("ada", "tenant", Set.of(Role.SUBMITTER));
    private static final Caller BOB = new Caller("bob", "tenant", Set.of(Role.SUBMITTER));

    private final Waits waits = new Waits();

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    WaitsTest() {
        waits.configuration = Configuration.read(Map.of("sallyport.limits.waits", "2"), Map.of());
    }

    @Test
    void oneKeyHasSoManyAndNoMoreUntilOneIsOver() {
        CompletableFuture<String> first = new CompletableFuture<>();
        CompletableFuture<String> second = new CompletableFuture<>();
        waits.wait(ADA, () -> first);
        waits.wait(ADA, () -> second);

        assertThat(waits.<String>tryToWait(ADA, CompletableFuture::new)).isEmpty();
        assertThatThrownBy(() -> waits.<String>wait(ADA, CompletableFuture::new))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().type()).isEqualTo(ProblemType.RATE_LIMITED));
        assertThat(waits.<String>tryToWait(BOB, CompletableFuture::new)).isPresent();
        first.complete("done");
        second.completeExceptionally(new IllegalStateException("lost"));
        assertThat(waits.<String>tryToWait(ADA, CompletableFuture::new)).isPresent();
        assertThat(waits.<String>tryToWait(ADA, CompletableFuture::new)).isPresent();
        assertThat(waits.<String>tryToWait(ADA, CompletableFuture::new)).isEmpty();
    }

    @Test
    void aWaitThatDoesNotBeginTakesNoPlace() {
        for (int i = 0; i < 5; i++) {
            assertThatThrownBy(() -> waits.<String>wait(ADA, () -> {
                        throw new IllegalStateException("no");
                    }))
                    .isInstanceOf(IllegalStateException.class);
        }

        assertThat(waits.<String>tryToWait(ADA, CompletableFuture::new)).isPresent();
    }
}
