package org.sallyport.identity.token;

import static org.assertj.core.api.Assertions.assertThat;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.RSAKey;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.configuration.Configuration;

/** Sources of keys: rotated, unreachable, queried repeatedly, or not allowed. */
class JwksCacheTest {
    private static final RSAKey FIRST = TestIssuer.rsa("first");
    private static final RSAKey SECOND = TestIssuer.rsa("second");
    private static final RSAKey THIRD = TestIssuer.rsa("third");

    private final SettableClock clock = new SettableClock();
    private final TestIssuer issuer = new TestIssuer();
    private final BlockedSubjectCache blocked =
            new BlockedSubjectCache(new InMemoryBlockedSubjectStore(), UUID::randomUUID, clock, Duration.ofSeconds(2));

    @AfterEach
    void end() {
        issuer.close();
    }

    /** Runs tasks on the calling thread, so that an early refresh of the keys is complete when the call returns. */
    private static final class DirectExecutorService extends AbstractExecutorService {
        @Override
        public void execute(Runnable task) {
            task.run();
        }

        @Override
        public void shutdown() {}

        @Override
        public java.util.List<Runnable> shutdownNow() {
            return java.util.List.of();
        }

        @Override
        public boolean isShutdown() {
            return false;
        }

        @Override
        public boolean isTerminated() {
            return false;
        }

        @Override
        public boolean awaitTermination(long timeout, TimeUnit unit) {
            return true;
        }
    }

    private JwtAuthenticator open(String... more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "sallyport.jwt.issuers", issuer.url(),
                "sallyport.jwt.audiences", "sallyport",
                "sallyport.jwt.tenants", "acme"));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return JwtAuthenticator.open(
                Configuration.read(settings, Map.of()), blocked, clock, new DirectExecutorService());
    }

    private String token(RSAKey key) {
        return TestIssuer.sign(
                TestIssuer.header(JWSAlgorithm.RS256, key).build(),
                issuer.claims(clock.instant()).build(),
                key);
    }

    private String unknown(int number) {
        return TestIssuer.sign(
                new com.nimbusds.jose.JWSHeader.Builder(JWSAlgorithm.RS256)
                        .keyID("unknown" + number)
                        .build(),
                issuer.claims(clock.instant()).build(),
                THIRD);
    }

    private void accepted(JwtAuthenticator tokens, RSAKey key) {
        assertThat(tokens.verify(token(key))).isInstanceOf(TokenVerification.TokenAccepted.class);
    }

    private void refused(JwtAuthenticator tokens, RSAKey key) {
        assertThat(tokens.verify(token(key))).isInstanceOf(TokenVerification.TokenRejected.class);
    }

    @Test
    void jwksUriIsDiscoveredFromTheIssuer() {
        issuer.publish(FIRST);
        JwtAuthenticator tokens = open();

        accepted(tokens, FIRST);
        accepted(tokens, FIRST);
        assertThat(issuer.fetches()).isEqualTo(1);
    }

    @Test
    void rotatedKeyIsAcceptedAtOnceAndTheOldOneWhilePublished() {
        issuer.publish(FIRST);
        JwtAuthenticator tokens = open();
        accepted(tokens, FIRST);

        issuer.publish(SECOND, FIRST);
        accepted(tokens, SECOND);
        accepted(tokens, FIRST);
        issuer.publish(SECOND);
        clock.advance(Duration.ofMinutes(6));
        accepted(tokens, SECOND);
        refused(tokens, FIRST);
    }

    @Test
    void unknownKeyIdsDoNotCauseRepeatedFetches() {
        issuer.publish(FIRST);
        JwtAuthenticator tokens = open();
        accepted(tokens, FIRST);

        for (int i = 0; i < 200; i++) {
            assertThat(tokens.verify(unknown(i))).isInstanceOf(TokenVerification.TokenRejected.class);
        }
        assertThat(issuer.fetches()).isLessThanOrEqualTo(2);
        accepted(tokens, FIRST);

        // Tokens with unknown keys delay a new key by no more than the pause between two fetches.
        issuer.publish(SECOND);
        clock.advance(Duration.ofSeconds(30));
        accepted(tokens, SECOND);
        assertThat(issuer.fetches()).isLessThanOrEqualTo(3);
    }

    @Test
    void cachedKeysAreUsedForAWhileDuringAnOutage() {
        issuer.publish(FIRST);
        JwtAuthenticator tokens = open();
        accepted(tokens, FIRST);
        issuer.respondWith(exchange -> TestIssuer.send(exchange, 503, "down"));

        for (int minutes = 0; minutes < 54; minutes += 6) {
            clock.advance(Duration.ofMinutes(6));
            accepted(tokens, FIRST);
        }
        assertThat(tokens.verify(unknown(0))).isInstanceOf(TokenVerification.TokenRejected.class);

        clock.advance(Duration.ofMinutes(20));
        assertThat(tokens.verify(token(FIRST))).isInstanceOf(TokenVerification.VerificationUnavailable.class);
        issuer.respondWithKeys();
        clock.advance(Duration.ofSeconds(30));
        accepted(tokens, FIRST);
    }

    @Test
    void keysAreRefreshedBeforeTheyExpire() {
        issuer.publish(FIRST);
        JwtAuthenticator tokens = open();
        accepted(tokens, FIRST);
        clock.advance(Duration.ofSeconds(240));
        accepted(tokens, FIRST);

        assertThat(issuer.fetches()).isEqualTo(2);
    }

    @Test
    void unreachableIssuerMakesVerificationUnavailable() {
        issuer.respondWith(exchange -> TestIssuer.send(exchange, 500, ""));
        JwtAuthenticator tokens = open();

        assertThat(tokens.verify(token(FIRST))).isInstanceOf(TokenVerification.VerificationUnavailable.class);
        assertThat(tokens.verify(token(FIRST))).isInstanceOf(TokenVerification.VerificationUnavailable.class);
        issuer.publish(FIRST);
        issuer.respondWithKeys();
        clock.advance(Duration.ofSeconds(30));
        accepted(tokens, FIRST);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"issuer\":\"https://other.example\",\"jwks_uri\":\"KEYS\"}",
                "{\"issuer\":\"URL\",\"jwks_uri\":\"http://203.0.113.9/keys\"}",
                "{\"issuer\":\"URL\",\"jwks_uri\":\"file:///etc/passwd\"}",
                "{\"issuer\":\"URL\",\"jwks_uri\":\"http://127.0.0.1.evil.example/keys\"}",
                "{\"issuer\":\"URL\",\"issuer\":\"URL\",\"jwks_uri\":\"KEYS\"}",
                "{\"issuer\":\"URL\"}",
                "[]",
                "<html>",
                ""
            })
    void invalidDiscoveryDocumentIsNotFollowed(String document) {
        issuer.publish(FIRST);
        issuer.setMetadata(document.replace("URL", issuer.url()).replace("KEYS", issuer.url() + "/keys"));

        assertThat(open().verify(token(FIRST))).isInstanceOf(TokenVerification.VerificationUnavailable.class);
        assertThat(issuer.fetches()).isZero();
    }

    @Test
    void redirectIsNotFollowed() {
        try (TestIssuer elsewhere = new TestIssuer()) {
            elsewhere.publish(FIRST);
            issuer.respondWith(exchange -> {
                exchange.getResponseHeaders().add("Location", elsewhere.url() + "/keys");
                TestIssuer.send(exchange, 302, "");
            });

            assertThat(open().verify(token(FIRST))).isInstanceOf(TokenVerification.VerificationUnavailable.class);
            assertThat(elsewhere.fetches()).isZero();
        }
    }

    @Test
    void endlessResponseIsNotRead() {
        issuer.respondWith(exchange -> {
            exchange.sendResponseHeaders(200, 0);
            byte[] part = new byte[64 << 10];
            java.util.Arrays.fill(part, (byte) ' ');
            for (int i = 0; i < 10_000; i++) {
                exchange.getResponseBody().write(part);
            }
            exchange.close();
        });

        assertThat(open().verify(token(FIRST))).isInstanceOf(TokenVerification.VerificationUnavailable.class);
    }

    @Test
    void slowResponseTimesOutAndDoesNotBlockKnownKeys() throws Exception {
        issuer.publish(FIRST);
        JwtAuthenticator tokens = open();
        accepted(tokens, FIRST);
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch done = new CountDownLatch(1);
        issuer.respondWith(exchange -> {
            asked.countDown();
            try {
                done.await(60, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            exchange.close();
        });
        ExecutorService flood = Executors.newFixedThreadPool(40);
        try {
            long begun = System.nanoTime();
            var answers = new java.util.ArrayList<java.util.concurrent.Future<TokenVerification>>();
            for (int i = 0; i < 40; i++) {
                String token = unknown(i);
                answers.add(flood.submit(() -> tokens.verify(token)));
            }
            assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();
            // While another thread waits for the issuer, tokens with known keys are verified immediately.
            long before = System.nanoTime();
            accepted(tokens, FIRST);
            assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(IssuerHttpClient.TIMEOUT);
            for (var answer : answers) {
                assertThat(answer.get(60, TimeUnit.SECONDS)).isNotInstanceOf(TokenVerification.TokenAccepted.class);
            }
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isLessThan(IssuerHttpClient.TIMEOUT.multipliedBy(10));
        } finally {
            done.countDown();
            flood.shutdownNow();
        }
    }

    @Test
    void withdrawnKeyIsRefused() {
        issuer.publish(FIRST);
        JwtAuthenticator tokens = open();
        accepted(tokens, FIRST);
        issuer.publish();
        clock.advance(Duration.ofMinutes(6));

        refused(tokens, FIRST);
    }
}
