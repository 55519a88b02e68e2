package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityDefinition;
import org.sallyport.capability.MissingTool;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.execution.CapabilitySandbox;
import org.sallyport.execution.CapabilitySandboxPolicy;
import org.sallyport.execution.PinnedVariables;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;
import org.sallyport.variable.PinResult;
import org.sallyport.variable.VariablePinner;

/** What a capability lacks is found before it runs. */
class CapabilityPreparerTest {
    private static final MissingTool MISSING = new MissingTool("crm.find", "crm", "there is no backend 'crm'");

    private static CapabilityPreparation prepare(
            CapabilitySandboxPolicy sandboxes,
            List<MissingTool> missing,
            List<String> env,
            Optional<CapabilitySandbox> sandbox) {
        VariablePinner pinner = env.isEmpty() ? new NoVariables() : VariablePinner.NONE;
        return new CapabilityPreparer(sandboxes, (tenant, tools) -> missing, pinner)
                .prepare("t", capability(env, sandbox));
    }

    private static Capability capability(List<String> env, Optional<CapabilitySandbox> sandbox) {
        CapabilityDefinition content = new CapabilityDefinition(
                ScriptLanguage.JAVASCRIPT,
                "return 1",
                Optional.empty(),
                "",
                Optional.empty(),
                Optional.empty(),
                List.of("crm.find"),
                env,
                sandbox);
        return new Capability(
                "shop.fees",
                SemanticVersion.parse("1.0.0").orElseThrow(),
                content,
                "",
                Map.of(),
                "key",
                Optional.empty(),
                Instant.EPOCH,
                Optional.empty());
    }

    private static final class OversizedVariables implements VariablePinner {
        @Override
        public PinResult pin(String tenant, List<String> names) {
            return new PinResult.VariablesOversized(10);
        }

        @Override
        public Json read(String tenant, PinnedVariables variables) {
            throw new UnsupportedOperationException();
        }
    }

    /** Pins no variables, as for a capability that declares none. */
    private static final class NoVariables implements VariablePinner {
        @Override
        public PinResult pin(String tenant, List<String> names) {
            return new PinResult.VariablesPinned(Optional.empty());
        }

        @Override
        public Json read(String tenant, PinnedVariables variables) {
            return Json.EMPTY_OBJECT;
        }
    }

    @Test
    void capabilityThatHasAllCanRun() {
        assertThat(prepare(
                        CapabilitySandboxPolicy.WORKERS_ONLY,
                        List.of(),
                        List.of(),
                        Optional.of(CapabilitySandbox.PROCESS)))
                .isEqualTo(new CapabilityPreparation.CapabilityPrepared(Optional.empty()));
    }

    @Test
    void missingToolsAreRefused() {
        assertThat(prepare(CapabilitySandboxPolicy.WORKERS_ONLY, List.of(MISSING), List.of(), Optional.empty()))
                .isEqualTo(new CapabilityPreparation.CapabilityUnprepared(
                        new SubmissionResult.ToolsMissing("shop.fees@1.0.0", List.of(MISSING))));
    }

    @Test
    void missingVariablesAreRefused() {
        assertThat(prepare(CapabilitySandboxPolicy.WORKERS_ONLY, List.of(), List.of("REGION"), Optional.empty()))
                .isInstanceOfSatisfying(
                        CapabilityPreparation.CapabilityUnprepared.class,
                        refused -> assertThat(refused.reason()).isInstanceOf(SubmissionResult.VariablesNotSet.class));
    }

    @Test
    void variablesThatAreTooLargeAreRefused() {
        CapabilityPreparer preparer = new CapabilityPreparer(
                CapabilitySandboxPolicy.WORKERS_ONLY, (tenant, tools) -> List.of(), new OversizedVariables());
        assertThat(preparer.prepare("t", capability(List.of("REGION"), Optional.empty())))
                .isEqualTo(new CapabilityPreparation.CapabilityUnprepared(
                        new SubmissionResult.VariablesTooLarge("shop.fees@1.0.0", 10)));
    }

    /** The settings may have changed since the publication. */
    @Test
    void sandboxIsJudgedAgain() {
        Optional<CapabilitySandbox> wanted = Optional.of(CapabilitySandbox.IN_PROCESS);
        assertThat(prepare(new CapabilitySandboxPolicy(false, true, "t"), List.of(), List.of(), wanted))
                .isInstanceOf(CapabilityPreparation.CapabilityPrepared.class);
        for (CapabilitySandboxPolicy policy :
                List.of(CapabilitySandboxPolicy.WORKERS_ONLY, new CapabilitySandboxPolicy(false, true, "other"))) {
            assertThat(prepare(policy, List.of(), List.of(), wanted))
                    .isInstanceOfSatisfying(
                            CapabilityPreparation.CapabilityUnprepared.class,
                            refused -> assertThat(refused.reason())
                                    .isInstanceOf(SubmissionResult.SandboxNotAllowed.class));
        }
    }
}
