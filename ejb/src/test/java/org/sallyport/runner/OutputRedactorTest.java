package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.OutputKind;
import org.sallyport.redaction.Redactor;

class OutputRedactorTest {
    private static final String HIGH = "\ud83d";
    private static final String LOW = "\ude00";

    private Redactor redactor = Redactor.NONE;
    private final OutputRedactor output = new OutputRedactor(() -> redactor, () -> redactor);

    private String redact(String text) {
        return output.redactOutput(OutputKind.OUT, text);
    }

    private Map<OutputKind, String> flush() {
        Map<OutputKind, String> rest = new EnumMap<>(OutputKind.class);
        output.flush(rest::put);
        return rest;
    }

    @Test
    void halvesOfASurrogatePairAreShownTogether() {
        assertThat(redact("a" + HIGH)).isEqualTo("a");
        assertThat(output.redactOutput(OutputKind.ERR, "error")).isEqualTo("error");
        assertThat(redact("")).isEmpty();
        assertThat(redact(LOW + "b")).isEqualTo(HIGH + LOW + "b");
        assertThat(flush()).isEmpty();
    }

    @Test
    void eachStreamHoldsBackItsOwnHalf() {
        assertThat(redact(HIGH)).isEmpty();
        assertThat(output.redactOutput(OutputKind.ERR, HIGH)).isEmpty();
        assertThat(redact(HIGH)).isEqualTo(HIGH);
        assertThat(redact("x")).isEqualTo(HIGH + "x");
        assertThat(output.redactOutput(OutputKind.ERR, LOW)).isEqualTo(HIGH + LOW);
    }

    @Test
    void halfThatIsNeverCompletedIsShownAtTheEnd() {
        assertThat(redact("a" + HIGH)).isEqualTo("a");
        assertThat(flush()).isEqualTo(Map.of(OutputKind.OUT, HIGH));
        assertThat(flush()).isEmpty();
    }

    @Test
    void halfIsKeptBeforeThePossibleBeginningOfASecret() {
        redactor = new Redactor(List.of("secret-4711"));

        assertThat(redact(HIGH + "secret")).isEmpty();
        assertThat(redact("-!")).isEqualTo(HIGH + "secret-!");
        assertThat(redact(HIGH)).isEmpty();
        assertThat(redact("secret-47")).isEmpty();
        assertThat(flush()).isEqualTo(Map.of(OutputKind.OUT, HIGH + "secret-47"));
    }
}
