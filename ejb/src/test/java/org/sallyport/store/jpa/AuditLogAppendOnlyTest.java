package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The audit log is append-only: no statement of the store changes it. */
class AuditLogAppendOnlyTest {
    private static final Path STORE = Path.of("src/main/java/org/sallyport/store/jpa");

    @Test
    void onlyRetentionDeletesAuditEntriesAndNoStatementUpdatesThem() throws IOException {
        try (Stream<Path> files = Files.list(STORE)) {
            for (Path file : files.toList()) {
                String text = Files.readString(file);
                assertThat(text)
                        .as(file.toString())
                        .doesNotContainPattern("(?i)update\\s+(audit_|Audit)")
                        .doesNotContainPattern("(?i)merge\\s*\\(.*Audit");
                if (!file.endsWith("JpaAuditStore.java")) {
                    assertThat(text).as(file.toString()).doesNotContainPattern("(?i)delete from (audit_|Audit)");
                }
            }
        }
    }

    @Test
    void auditColumnsAreNotUpdatable() {
        for (Class<?> row : List.of(AuditEntryEntity.class, AuditResultEntity.class)) {
            Stream.of(row.getDeclaredFields())
                    .filter(field -> field.isAnnotationPresent(jakarta.persistence.Column.class))
                    .forEach(field -> assertThat(field.getAnnotation(jakarta.persistence.Column.class)
                                    .updatable())
                            .as(field.getName())
                            .isFalse());
        }
    }
}
