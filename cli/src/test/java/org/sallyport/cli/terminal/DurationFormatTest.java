package org.sallyport.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DurationFormatTest {
    @ParameterizedTest
    @CsvSource({"0, 0 ms", "999, 999 ms", "1250, 1.25 s", "12340, 12.3 s", "185000, 3 min 5 s", "7800000, 2 h 10 min"})
    void durationIsShownInAShortForm(long millis, String shown) {
        assertThat(DurationFormat.format(Duration.ofMillis(millis))).isEqualTo(shown);
    }

    @Test
    void durationsAreParsedWithOrWithoutUnit() {
        assertThat(DurationFormat.parse("500ms")).isEqualTo(Duration.ofMillis(500));
        assertThat(DurationFormat.parse("30s")).isEqualTo(Duration.ofSeconds(30));
        assertThat(DurationFormat.parse("30")).isEqualTo(Duration.ofSeconds(30));
        assertThat(DurationFormat.parse("5m")).isEqualTo(Duration.ofMinutes(5));
        assertThat(DurationFormat.parse("1H")).isEqualTo(Duration.ofHours(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-1s", "0", "1.5s", "99999999999s", "5 parsecs"})
    void invalidDurationsAreRefused(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> DurationFormat.parse(text));
    }
}
