package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

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

    @Test
    void h2UrlThatLosesCommitsIsRefused() {
        for (String delay : new String[] {"500", "01", "0500"}) {
            assertThatThrownBy(() -> JdbcUrl.complete("jdbc:h2:file:/d/x;WRITE_DELAY=" + delay + ";X=1"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("WRITE_DELAY=0");
        }
    }

    @Test
    void h2UrlThatReusesResultsIsRefused() {
        assertThat(JdbcUrl.complete("jdbc:h2:file:/d/x")).contains(";OPTIMIZE_REUSE_RESULTS=FALSE");
        for (String reuse : new String[] {"TRUE", "1"}) {
            assertThatThrownBy(() -> JdbcUrl.complete("jdbc:h2:file:/d/x;optimize_reuse_results=" + reuse))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("OPTIMIZE_REUSE_RESULTS=FALSE");
        }
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
