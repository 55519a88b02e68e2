package org.sallyport.web.async;

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
import org.sallyport.auth.Caller;
import org.sallyport.auth.Role;
import org.sallyport.configuration.Configuration;
import org.sallyport.web.FakeHttpExchange;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.security.AuthenticationFilter;

class BodyReadLimiterTest {
    private long now;
    private final BodyReadLimiter limiter = new BodyReadLimiter(() -> now);

    @SuppressWarnings("UnnecessaryAssignment") // there is no container here to inject it
    BodyReadLimiterTest() {
        limiter.configuration = Configuration.read(Map.of("sallyport.limits.max-pending-bodies", "30"), Map.of());
    }

    private static HttpServletRequest authenticated(String key) {
        HttpServletRequest request = new FakeHttpExchange("POST", "/").request();
        request.setAttribute(AuthenticationFilter.CALLER, new Caller(key, "tenant", Set.of(Role.SUBMITTER)));
        return request;
    }

    private static HttpServletRequest anonymous(String address) {
        return new FakeHttpExchange("POST", "/").fromAddress(address).request();
    }

    private int acquireAll(HttpServletRequest request, List<BodyReadLimiter.ReadPermit> places) {
        int before = places.size();
        try {
            while (places.size() < before + 1_000) {
                places.add(limiter.acquire(request));
            }
        } catch (ProblemException e) {
            assertThat(e.problem().type()).isEqualTo(ProblemType.RATE_LIMITED);
        }
        return places.size() - before;
    }

    @Test
    void noKeyGetsAllReadPermitsAndAnonymousCallersGetFew() {
        List<BodyReadLimiter.ReadPermit> places = new ArrayList<>();

        assertThat(acquireAll(authenticated("one"), places)).isEqualTo(20);
        assertThat(acquireAll(authenticated("two"), places)).isEqualTo(10);
        assertThat(acquireAll(anonymous("192.0.2.1"), places)).isEqualTo(4);
        assertThat(acquireAll(anonymous("192.0.2.2"), places)).isEqualTo(4);
        assertThat(acquireAll(anonymous("192.0.2.3"), places)).isZero();
        places.forEach(BodyReadLimiter.ReadPermit::release);
        assertThat(acquireAll(authenticated("two"), places)).isEqualTo(20);
    }

    private static HttpServletRequest delivery(String webhook) {
        HttpServletRequest request = new FakeHttpExchange("POST", "/").request();
        request.setAttribute(BodyReadLimiter.WEBHOOK, webhook);
        return request;
    }

    @Test
    void bodiesOfWebhooksLeaveMostReadPermitsToKeys() {
        List<BodyReadLimiter.ReadPermit> places = new ArrayList<>();

        assertThat(acquireAll(delivery("one"), places)).isEqualTo(5);
        assertThat(acquireAll(delivery("two"), places)).isEqualTo(5);
        assertThat(acquireAll(delivery("three"), places)).isZero();
        assertThat(acquireAll(anonymous("192.0.2.1"), places)).isEqualTo(4);
        assertThat(acquireAll(authenticated("one"), places)).isEqualTo(20);
        assertThat(acquireAll(authenticated("two"), places)).isZero();
        places.forEach(BodyReadLimiter.ReadPermit::release);
        assertThat(acquireAll(delivery("three"), new ArrayList<>())).isEqualTo(5);
    }

    @Test
    void bodyOfAWebhookHasAShortTimeout() {
        BodyReadLimiter.BodyReadTimer clock = limiter.startTimer(delivery("one"));
        now += Duration.ofSeconds(5).toNanos() + 1;

        tooSlow(clock::checkTimeout);
    }

    @Test
    void bodyIsReadAsLongAsDataArrives() {
        BodyReadLimiter.BodyReadTimer clock = limiter.startTimer(authenticated("one"));
        for (int i = 0; i < 100; i++) {
            now += Duration.ofSeconds(1).toNanos();
            clock.recordRead(100_000);
            clock.checkTimeout();
        }
        now += Duration.ofSeconds(120).toNanos();

        tooSlow(clock::checkTimeout);
    }

    @Test
    void anonymousBodyHasAShortTimeout() {
        BodyReadLimiter.BodyReadTimer clock = limiter.startTimer(anonymous("192.0.2.1"));
        now += Duration.ofSeconds(5).toNanos();
        assertThatCode(clock::checkTimeout).doesNotThrowAnyException();
        now++;

        tooSlow(clock::checkTimeout);
    }

    @Test
    void idlePauseEndsTheRead() {
        BodyReadLimiter.BodyReadTimer clock = limiter.startTimer(authenticated("one"));
        now += Duration.ofSeconds(4).toNanos();
        assertThatCode(clock::checkIdle).doesNotThrowAnyException();
        clock.recordRead(1);
        now += Duration.ofSeconds(5).toNanos();

        tooSlow(clock::checkIdle);
    }

    private static void tooSlow(Runnable check) {
        assertThatThrownBy(check::run)
                .isInstanceOfSatisfying(
                        ProblemException.class,
                        e -> assertThat(e.problem().type()).isEqualTo(ProblemType.REQUEST_TIMEOUT));
    }
}
