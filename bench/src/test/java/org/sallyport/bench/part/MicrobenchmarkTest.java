package org.sallyport.bench.part;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.catalog.ArgumentSchema;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.tool.Json;

class MicrobenchmarkTest {

    @ParameterizedTest
    @EnumSource
    void everyTaskRunsRepeatedly(Microbenchmark each) {
        MicrobenchmarkTask part = each.createTask();
        assertThatCode(() -> {
                    for (int i = 0; i < 50; i++) {
                        assertThat(part.runOnce()).isNotNull();
                    }
                })
                .doesNotThrowAnyException();
    }

    /** Each condition type in turn is the first of a thousand rules that holds for the arguments. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"path\":\"/data/private/504\"}|r504",
                "{\"path\":\"/x\",\"mode\":\"create505\"}|r505",
                "{\"path\":\"/x\",\"size\":1000000}|r2",
                "{\"path\":\"/x\",\"size\":50}|r51",
                "{\"path\":\"/etc/a.conf500\"}|r500",
                "{\"path\":\"/x/secret501/y\"}|r501",
                "{\"path\":\"/x\",\"owner7\":{\"name\":\"\"}}|r7",
                "{\"path\":\"/data/x\"}|last",
                "{\"path\":\"/x\"}|otherwise"
            })
    void firstMatchingRuleOfAThousandDecides(String arguments, String rule) {
        PolicyDecision decision =
                PolicyTaskFactory.decide(PolicyTaskFactory.rulesForOneTool(), SampleCall.TOOL, new Json(arguments));
        assertThat(decision.rule()).isEqualTo(rule);
        assertThat(decision instanceof PolicyDecision.AllowDecision).isEqualTo(rule.equals("last"));
    }

    @Test
    void onlyRulesOfOneBackendOfAHundredApplyToTheCall() {
        Policy policy = PolicyTaskFactory.rulesForManyBackends();
        assertThat(PolicyTaskFactory.decide(policy, SampleCall.TOOL, new Json("{\"size\":9000}"))
                        .rule())
                .isEqualTo("last");
        assertThat(PolicyTaskFactory.decide(policy, SampleCall.TOOL, new Json("{\"size\":1000000}"))
                        .rule())
                .isEqualTo("r200");
    }

    @Test
    void decisionOfADifferentRuleIsAWrongResult() {
        assertThatThrownBy(() ->
                        PolicyTaskFactory.decisionTask(Policy.defaultPolicy()).runOnce())
                .isInstanceOf(WrongResultException.class)
                .hasMessageContaining("default/allow");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"path\":\"/a\",\"mode\":\"create\",\"size\":-1}|/size",
                "{\"path\":\"/a\",\"mode\":\"delete\"}|/mode",
                "{\"path\":\"a\",\"mode\":\"create\"}|/path",
                "{\"path\":\"/a\",\"mode\":\"create\",\"tags\":[1]}|/tags/0",
                "{\"path\":\"/a\"}|mode",
                "{\"path\":\"/a\",\"mode\":\"create\",\"colour\":1}|colour"
            })
    void schemaRefusesInvalidArguments(String arguments, String place) {
        ArgumentSchema schema = ArgumentSchema.compile(SampleCall.TOOL.inputSchema());
        assertThat(schema.validationError(new Json(arguments)))
                .hasValueSatisfying(error -> assertThat(error).contains(place));
    }
}
