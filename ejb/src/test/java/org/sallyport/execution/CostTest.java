package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.Duration;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CostTest {
    @ParameterizedTest
    @CsvSource({
        "0,0",
        "1,1",
        "0.5,0.5",
        "1e3,1000",
        "0.0000001,0.000001",
        "0.0000011,0.000002",
        "1e12,1000000000000",
        "1e13,1000000000000",
        "1e999999999,1000000000000",
        "1e-999999999,0.000001",
        "0e-999999999,0"
    })
    void amountIsRoundedUpToAMicroUnit(String amount, String cost) {
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(30), () -> assertThat(Cost.of(amount)).hasToString(cost));
    }

    @Test
    void costIsNeverNegativeOrOutOfRange() {
        assertThatThrownBy(() -> Cost.of("-1")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Cost.of(new BigDecimal("-1e-999999999"))).isInstanceOf(IllegalArgumentException.class);
        assertThat(Cost.MAX_VALUE.plus(Cost.MAX_VALUE)).isEqualTo(Cost.MAX_VALUE);
        assertThat(Cost.ZERO.minus(Cost.MAX_VALUE)).isEqualTo(Cost.ZERO);
    }
}
