package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.sallyport.configuration.Configuration;
import org.sallyport.execution.CapabilitySandbox;

class CapabilitySandboxCheckTest {
    @ParameterizedTest
    @CsvSource({
        "worker, false, , true",
        "worker, false, process, true",
        "worker, false, in-process, false",
        "worker, true, in-process, true",
        "worker, true, process, true",
        "inprocess, false, , true",
        "inprocess, false, in-process, true",
        "inprocess, true, process, false"
    })
    void sandboxIsRefusedWhereTheInstallationDoesNotOfferIt(String mode, String allow, String wanted, boolean runs) {
        CapabilitySandboxCheck check = new CapabilitySandboxCheck(Configuration.read(
                Map.of("sallyport.sandbox.mode", mode, "sallyport.sandbox.allow-in-process-capabilities", allow),
                Map.of()));
        Optional<String> refusal =
                check.refusalReason(Optional.ofNullable(wanted).flatMap(CapabilitySandbox::of));
        assertThat(refusal.isEmpty()).as(refusal.toString()).isEqualTo(runs);
        refusal.ifPresent(reason -> assertThat(reason).contains("sallyport.sandbox."));
    }
}
