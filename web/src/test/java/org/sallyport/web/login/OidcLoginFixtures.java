package org.sallyport.web.login;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.sallyport.auth.BlockedSubject;
import org.sallyport.auth.BlockedSubjectCache;
import org.sallyport.auth.BlockedSubjectStore;
import org.sallyport.auth.ExternalSubject;
import org.sallyport.configuration.Configuration;
import org.sallyport.identity.token.JwtAuthenticator;
import org.sallyport.identity.token.OidcLoginService;

/** Login services without a provider, or with an unreachable one. */
final class OidcLoginFixtures {
    private OidcLoginFixtures() {}

    static OidcLoginService none() {
        return of(Map.of());
    }

    /** @param publicUrl the URL under which browsers reach the service */
    static OidcLoginService unreachable(String publicUrl) {
        return of(Map.of(
                "sallyport.jwt.issuers", "http://127.0.0.1:1",
                "sallyport.jwt.audiences", "sallyport",
                "sallyport.oidc.issuer", "http://127.0.0.1:1",
                "sallyport.oidc.client-id", "console",
                "sallyport.oidc.public-url", publicUrl));
    }

    private static OidcLoginService of(Map<String, String> settings) {
        Configuration configuration = Configuration.read(settings, Map.of());
        ExecutorService background = Executors.newSingleThreadExecutor();
        try {
            BlockedSubjectCache blocked = new BlockedSubjectCache(
                    new NoopBlockedSubjectStore(), UUID::randomUUID, InstantSource.system(), Duration.ofSeconds(2));
            JwtAuthenticator tokens = JwtAuthenticator.open(configuration, blocked, InstantSource.system(), background);
            return OidcLoginService.open(configuration, tokens, InstantSource.system(), new SecureRandom(), background);
        } finally {
            background.shutdown();
        }
    }

    private static final class NoopBlockedSubjectStore implements BlockedSubjectStore {
        @Override
        public BlockedSubject add(BlockedSubject subject) {
            return subject;
        }

        @Override
        public boolean contains(String tenant, ExternalSubject subject) {
            return false;
        }

        @Override
        public Optional<BlockedSubject> remove(String tenant, UUID id) {
            return Optional.empty();
        }

        @Override
        public List<BlockedSubject> list(String tenant, Optional<UUID> before, int limit) {
            return List.of();
        }
    }
}
