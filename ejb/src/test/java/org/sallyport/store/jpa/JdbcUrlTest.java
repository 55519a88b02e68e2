package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JdbcUrlTest {
    @Test
    void h2UrlIsCompletedForDurableCommits() {
        assertThat(JdbcUrl.complete("jdbc:h2:file:/d/x"))
                .startsWith("jdbc:h2:file:/d/x;")
                .contains(";WRITE_DELAY=0;");
        assertThat(JdbcUrl.complete("jdbc:h2:file:/d/x;write_delay=0")).doesNotContain("WRITE_DELAY");
        String complete = JdbcUrl.complete("jdbc:h2:file:/d/x;QUERY_CACHE_SIZE=9");
        assertThat(JdbcUrl.complete(complete)).isEqualTo(complete);
    }

    @ParameterizedTest
    @CsvSource({
        "WRITE_DELAY=0, WRITE_DELAY=500",
        "WRITE_DELAY=0, WRITE_DELAY=0500",
        "WRITE_DELAY=0, write_delay=01",
        "OPTIMIZE_REUSE_RESULTS=FALSE, OPTIMIZE_REUSE_RESULTS=TRUE",
        "OPTIMIZE_REUSE_RESULTS=FALSE, optimize_reuse_results=1",
        "ANALYZE_AUTO=0, analyze_auto=2000"
    })
    void h2UrlThatContradictsARequiredSettingIsRefused(String required, String setting) {
        assertThat(JdbcUrl.complete("jdbc:h2:file:/d/x") + ";").contains(";" + required + ";");
        assertThatThrownBy(() -> JdbcUrl.complete("jdbc:h2:file:/d/x;" + setting + ";X=1"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must set " + required + ": otherwise ");
    }

    @Test
    void postgreSqlUrlIsUnchanged() {
        String url = "jdbc:postgresql://db/sallyport?sslmode=require";
        assertThat(JdbcUrl.complete(url)).isEqualTo(url);
    }

    @Test
    void otherDatabasesAreRefusedWithoutShowingSecrets() {
        assertThatThrownBy(() -> JdbcUrl.complete("jdbc:mysql://u:secret@db/x?password=secret"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jdbc:mysql://db/x")
                .hasMessageNotContaining("secret");
        DatabaseSettings settings = new DatabaseSettings(
                "jdbc:postgresql://db/x?password=secret", "u", "secret", 1, Duration.ofSeconds(1), 0);
        assertThat(settings.toString()).doesNotContain("secret").contains("jdbc:postgresql://db/x");
    }
}
