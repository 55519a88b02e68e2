package org.sallyport.execution;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CapabilitySandboxPolicyTest {
    @ParameterizedTest
    @CsvSource({
        "worker,    false, default, ,           runs",
        "worker,    false, default, process,    runs",
        "worker,    false, default, in-process, sallyport.sandbox.allow-in-process-capabilities",
        "worker,    true,  default, in-process, in-process",
        "worker,    true,  shop,    in-process, sallyport.tenants.operator",
        "worker,    true,  shop,    process,    runs",
        "worker,    true,  shop,    ,           runs",
        "inprocess, false, default, ,           runs",
        "inprocess, false, default, in-process, in-process",
        "inprocess, false, shop,    in-process, sallyport.tenants.operator",
        "inprocess, true,  default, process,    sallyport.sandbox.mode"
    })
    void sandboxIsRefusedWhereTheInstallationDoesNotOfferIt(
            String mode, boolean allow, String tenant, String sandbox, String expected) {
        CapabilitySandboxPolicy policy = new CapabilitySandboxPolicy(mode.equals("inprocess"), allow, "default");
        Optional<CapabilitySandbox> wanted = Optional.ofNullable(sandbox).flatMap(CapabilitySandbox::of);
        Optional<String> refusal = policy.refusalReason(tenant, wanted);
        assertThat(policy.selectsInProcess(tenant, wanted)).isEqualTo(expected.equals("in-process"));
        if (expected.startsWith("sallyport.")) {
            assertThat(refusal).hasValueSatisfying(reason -> assertThat(reason).contains(expected));
        } else {
            assertThat(refusal).isEmpty();
        }
    }
}
