package org.sallyport.auth;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BootstrapAdminKeyTest {
    private static final String TENANT = "ops";

    @TempDir
    Path data;

    private Instant now = Instant.parse("2026-06-08T15:00:45Z");
    private final ApiKeyService keys = new ApiKeyService(new ListedApiKeyStore(), () -> now, new SecureRandom());

    private void start() throws IOException {
        BootstrapAdminKey.ensureExists(data, keys, TENANT);
    }

    private Caller holder() throws IOException {
        return keys.authenticate(Files.readString(adminKeyFile()).strip()).orElseThrow();
    }

    private Path adminKeyFile() {
        return data.resolve(BootstrapAdminKey.FILE_NAME);
    }

    @Test
    void firstStartCreatesAnAdminKeyOfTheOperatingTenant() throws IOException {
        start();

        assertThat(holder().tenant()).isEqualTo(TENANT);
        assertThat(holder().roles()).contains(Role.ADMIN);
        assertThat(data.resolve(BootstrapAdminKey.ID_FILE_NAME)).hasContent(holder().id());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(adminKeyFile())))
                .isEqualTo("rw-------");
    }

    @Test
    void laterStartsKeepTheKey() throws IOException {
        start();
        Caller first = holder();

        start();

        assertThat(holder()).isEqualTo(first);
        assertThat(keys.list(TENANT)).hasSize(1);
    }

    /** Its administrator has put it in a safe. */
    @Test
    void keyThatWasMovedAwayIsNotReplaced() throws IOException {
        start();
        Files.delete(adminKeyFile());

        start();

        assertThat(adminKeyFile()).doesNotExist();
        assertThat(keys.list(TENANT)).hasSize(1);
    }

    @Test
    void deletedKeyIsNotReplacedWhileThereIsAnotherAdminKey() throws IOException {
        start();
        keys.issue(TENANT, "person", Set.of(Role.ADMIN), Optional.empty());
        keys.revoke(TENANT, holder().id());

        start();

        assertThat(keys.list(TENANT)).extracting(ApiKey::name).containsExactly("person");
    }

    @Test
    void keyIsCreatedIfTheTenantHasNoValidAdminKey() throws IOException {
        start();
        Caller first = holder();
        keys.issue(TENANT, "expired", Set.of(Role.ADMIN), Optional.of(now.plusSeconds(1)));
        keys.issue(TENANT, "auditor", Set.of(Role.AUDITOR), Optional.empty());
        keys.issue("acme", "of another tenant", Set.of(Role.ADMIN), Optional.empty());
        keys.revoke(TENANT, first.id());
        now = now.plusSeconds(1);

        start();

        assertThat(holder().id()).isNotEqualTo(first.id());
        assertThat(holder().tenant()).isEqualTo(TENANT);
    }

    @Test
    void keyIsCreatedAgainAfterBothFilesWereDeleted() throws IOException {
        start();
        Caller first = holder();
        Files.delete(adminKeyFile());
        Files.delete(data.resolve(BootstrapAdminKey.ID_FILE_NAME));

        start();

        assertThat(holder().id()).isNotEqualTo(first.id());
    }

    @Test
    void startThatEndedBeforeItRecordedTheIdLosesNoKey() throws IOException {
        start();
        Caller first = holder();
        Files.delete(data.resolve(BootstrapAdminKey.ID_FILE_NAME));

        start();

        assertThat(holder()).isEqualTo(first);
        assertThat(data.resolve(BootstrapAdminKey.ID_FILE_NAME)).hasContent(first.id());
    }

    @Test
    void keyOfAFormerOperatingTenantIsKeptInAnotherFile() throws IOException {
        BootstrapAdminKey.ensureExists(data, keys, "default");
        String former = Files.readString(adminKeyFile());

        start();

        assertThat(holder().tenant()).isEqualTo(TENANT);
        assertThat(data.resolve(BootstrapAdminKey.FILE_NAME + ".old")).hasContent(former);
    }

    private static final class ListedApiKeyStore implements ApiKeyStore {
        private final Map<String, ApiKey> stored = new ConcurrentHashMap<>();

        @Override
        public Optional<ApiKey> find(String id) {
            return Optional.ofNullable(stored.get(id));
        }

        @Override
        public void put(ApiKey key) {
            stored.put(key.id(), key);
        }

        @Override
        public boolean replaceGrants(String tenant, String id, List<String> grants) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean remove(String tenant, String id) {
            return stored.remove(id) != null;
        }

        @Override
        public List<ApiKey> list(String tenant) {
            return stored.values().stream()
                    .filter(key -> key.tenant().equals(tenant))
                    .sorted(Comparator.comparing(ApiKey::id))
                    .toList();
        }
    }
}
