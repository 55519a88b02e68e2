package org.sallyport.web.async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.web.ProblemException;

class StreamRegistryTest {
    private static final Caller ADA = new Caller("ada", "tenant", Set.of(Role.SUBMITTER));
    private static final Caller BOB = new Caller("bob", "tenant", Set.of(Role.SUBMITTER));
    private static final Caller EVE = new Caller("eve", "tenant", Set.of(Role.SUBMITTER));

    private final StreamRegistry streams = new StreamRegistry();

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    StreamRegistryTest() {
        streams.configuration = Configuration.read(
                Map.of("sallyport.limits.max-streams-per-key", "2", "sallyport.limits.max-streams", "3"), Map.of());
    }

    private void assertRefused(Caller caller, String because) {
        assertThatThrownBy(() -> streams.acquire(caller))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        refusal -> assertThat(new String(
                                        refusal.problem().body(null), java.nio.charset.StandardCharsets.UTF_8))
                                .contains("rate-limited", because));
    }

    @Test
    void keyCannotTakeAllStreamsOfItsTenant() {
        StreamRegistry.StreamPermit first = streams.acquire(ADA);
        streams.acquire(ADA);

        assertRefused(ADA, "sallyport.limits.max-streams-per-key");
        streams.acquire(BOB);
        assertRefused(BOB, "sallyport.limits.max-streams)");
        assertRefused(EVE, "sallyport.limits.max-streams)");
        assertThat(streams.openCount()).isEqualTo(3);

        first.release();
        first.release();
        assertThat(streams.openCount()).isEqualTo(2);
        streams.acquire(EVE);
        assertThat(streams.openCount()).isEqualTo(3);
    }
}
