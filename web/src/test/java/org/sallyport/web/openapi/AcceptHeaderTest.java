package org.sallyport.web.openapi;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AcceptHeaderTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/json",
                "APPLICATION/JSON",
                "application/json, text/plain, */*",
                "application/yaml;q=0.5, application/json",
                "application/yaml;q=0.5, application/json;q=0.9",
                "application/*;q=0.2, application/json;q=0.3",
                "text/html, application/json;charset=utf-8;q=0.1",
            })
    void jsonIsPreferredBy(String header) {
        assertThat(prefersJson(header)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "*/*",
                "application/*",
                "application/yaml",
                "application/json, application/yaml",
                "application/json;q=0.4, application/yaml",
                "application/json;q=0, */*",
                "text/html,application/xhtml+xml,*/*;q=0.8",
                "json",
                ";;;,,,q=",
                "application/json;q=0.1234, application/yaml",
            })
    void jsonIsNotPreferredBy(String header) {
        assertThat(prefersJson(header)).isFalse();
    }

    @Test
    void absentHeaderPrefersNoType() {
        assertThat(AcceptHeader.of(List.of()).prefers("application/json", "application/yaml"))
                .isFalse();
    }

    @Test
    void severalHeadersCountAsOne() {
        assertThat(AcceptHeader.of(List.of("application/yaml;q=0.1", "application/json;q=0.2"))
                        .prefers("application/json", "application/yaml"))
                .isTrue();
    }

    private static boolean prefersJson(String header) {
        return AcceptHeader.of(List.of(header)).prefers("application/json", "application/yaml");
    }
}
