package org.sallyport.web.session;

import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.sallyport.access.BlockedSubject;
import org.sallyport.access.BlockedSubjectStore;
import org.sallyport.access.BlockedSubjects;
import org.sallyport.access.Subject;
import org.sallyport.configuration.Configuration;
import org.sallyport.token.Logins;
import org.sallyport.token.Tokens;

/** Logins without a provider, or with one that nobody can reach. */
final class TestLogins {
    private TestLogins() {}

    static Logins none() {
        return of(Map.of());
    }

    /** @param publicUrl where browsers find the service */
    static Logins unreachable(String publicUrl) {
        return of(Map.of(
                "sallyport.jwt.issuers", "http://127.0.0.1:1",
                "sallyport.jwt.audiences", "sallyport",
                "sallyport.oidc.issuer", "http://127.0.0.1:1",
                "sallyport.oidc.client-id", "console",
                "sallyport.oidc.public-url", publicUrl));
    }

    private static Logins of(Map<String, String> settings) {
        Configuration configuration = Configuration.read(settings, Map.of());
        ExecutorService background = Executors.newSingleThreadExecutor();
        try {
            BlockedSubjects blocked = new BlockedSubjects(
                    new NobodyBlocked(), UUID::randomUUID, InstantSource.system(), Duration.ofSeconds(2));
            Tokens tokens = Tokens.open(configuration, blocked, InstantSource.system(), background);
            return Logins.open(configuration, tokens, InstantSource.system(), new SecureRandom(), background);
        } finally {
            background.shutdown();
        }
    }

    private static final class NobodyBlocked implements BlockedSubjectStore {
        @Override
        public BlockedSubject add(BlockedSubject subject) {
            return subject;
        }

        @Override
        public boolean contains(String tenant, Subject subject) {
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
