package org.sallyport.web.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.sallyport.access.Caller;
import org.sallyport.access.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.web.Exchange;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

class BodiesTest {
    private long now;
    private final Bodies bodies = new Bodies(() -> now);

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    BodiesTest() {
        bodies.configuration = Configuration.read(Map.of("sallyport.limits.awaited-bodies", "30"), Map.of());
    }

    private static HttpServletRequest of(String key) {
        HttpServletRequest request = new Exchange("POST", "/").request();
        request.setAttribute(AuthenticationFilter.CALLER, new Caller(key, "tenant", Set.of(Role.SUBMITTER)));
        return request;
    }

    private static HttpServletRequest from(String address) {
        return new Exchange("POST", "/").from(address).request();
    }

    private int taken(HttpServletRequest request, List<Bodies.Place> places) {
        int before = places.size();
        try {
            while (places.size() < before + 1_000) {
                places.add(bodies.take(request));
            }
        } catch (ProblemException e) {
            assertThat(e.problem().type()).isEqualTo(ProblemType.RATE_LIMITED);
        }
        return places.size() - before;
    }

    @Test
    void noKeyHasAllThePlacesAndStrangersHaveFew() {
        List<Bodies.Place> places = new ArrayList<>();

        assertThat(taken(of("one"), places)).isEqualTo(20);
        assertThat(taken(of("two"), places)).isEqualTo(10);
        assertThat(taken(from("192.0.2.1"), places)).isEqualTo(4);
        assertThat(taken(from("192.0.2.2"), places)).isEqualTo(4);
        assertThat(taken(from("192.0.2.3"), places)).isZero();
        places.forEach(Bodies.Place::giveBack);
        assertThat(taken(of("two"), places)).isEqualTo(20);
    }

    @Test
    void aBodyIsWaitedForAsLongAsItComes() {
        Bodies.Clock clock = bodies.clock(of("one"));
        for (int i = 0; i < 100; i++) {
            now += Duration.ofSeconds(1).toNanos();
            clock.came(100_000);
            clock.check();
        }
        now += Duration.ofSeconds(120).toNanos();

        tooSlow(clock::check);
    }

    @Test
    void strangersAreWaitedForForAMoment() {
        Bodies.Clock clock = bodies.clock(from("192.0.2.1"));
        now += Duration.ofSeconds(5).toNanos();
        assertThatCode(clock::check).doesNotThrowAnyException();
        now++;

        tooSlow(clock::check);
    }

    @Test
    void aPauseEndsIt() {
        Bodies.Clock clock = bodies.clock(of("one"));
        now += Duration.ofSeconds(4).toNanos();
        assertThatCode(clock::checkPause).doesNotThrowAnyException();
        clock.came(1);
        now += Duration.ofSeconds(5).toNanos();

        tooSlow(clock::checkPause);
    }

    private static void tooSlow(Runnable check) {
        assertThatThrownBy(check::run)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().type()).isEqualTo(ProblemType.REQUEST_TIMEOUT));
    }
}
