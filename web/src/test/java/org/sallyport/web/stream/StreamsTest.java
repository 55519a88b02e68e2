package org.sallyport.web.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.web.ProblemException;

class StreamsTest {
    private static final Caller ADA = new Caller("ada", "tenant", Set.of(Role.SUBMITTER));
    private static final Caller BOB = new Caller("bob", "tenant", Set.of(Role.SUBMITTER));
    private static final Caller EVE = new Caller("eve", "tenant", Set.of(Role.SUBMITTER));

    private final Streams streams = new Streams();

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    StreamsTest() {
        streams.configuration = Configuration.read(
                Map.of("sallyport.limits.streams-per-key", "2", "sallyport.limits.streams", "3"), Map.of());
    }

    private void assertRefused(Caller caller, String because) {
        assertThatThrownBy(() -> streams.take(caller))
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        refusal -> assertThat(new String(
                                        refusal.problem().body(null), java.nio.charset.StandardCharsets.UTF_8))
                                .contains("rate-limited", because));
    }

    @Test
    void oneKeyLeavesStreamsToTheOthersOfItsTenant() {
        Streams.Ticket first = streams.take(ADA);
        streams.take(ADA);

        assertRefused(ADA, "sallyport.limits.streams-per-key");
        streams.take(BOB);
        assertRefused(BOB, "sallyport.limits.streams)");
        assertRefused(EVE, "sallyport.limits.streams)");
        assertThat(streams.openCount()).isEqualTo(3);

        first.giveBack();
        first.giveBack();
        assertThat(streams.openCount()).isEqualTo(2);
        streams.take(EVE);
        assertThat(streams.openCount()).isEqualTo(3);
    }
}
