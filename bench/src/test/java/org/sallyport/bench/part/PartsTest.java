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
import org.sallyport.policy.Decision;
import org.sallyport.policy.Policy;
import org.sallyport.tool.Json;

class PartsTest {

    @ParameterizedTest
    @EnumSource
    void eachDoesWhatItSaysAgainAndAgain(Parts each) {
        Part part = each.make();
        assertThatCode(() -> {
                    for (int i = 0; i < 50; i++) {
                        assertThat(part.once()).isNotNull();
                    }
                })
                .doesNotThrowAnyException();
    }

    /** One of a thousand rules: whichever is the first to hold, by any kind of condition. */
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
    void theFirstOfAThousandRulesThatHoldsDecides(String arguments, String rule) {
        Decision decision = PolicyParts.decide(PolicyParts.eachLookedAt(), Calls.TOOL, new Json(arguments));
        assertThat(decision.rule()).isEqualTo(rule);
        assertThat(decision instanceof Decision.Allow).isEqualTo(rule.equals("last"));
    }

    @Test
    void ofAHundredBackendsTheRulesOfOneAreForTheCall() {
        Policy policy = PolicyParts.ofManyBackends();
        assertThat(PolicyParts.decide(policy, Calls.TOOL, new Json("{\"size\":9000}"))
                        .rule())
                .isEqualTo("last");
        assertThat(PolicyParts.decide(policy, Calls.TOOL, new Json("{\"size\":1000000}"))
                        .rule())
                .isEqualTo("r200");
    }

    @Test
    void whatADifferentRuleDecidesIsAWrongResult() {
        assertThatThrownBy(() -> PolicyParts.part(Policy.standard()).once())
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
    void theSchemaRefusesWhatIsWrong(String arguments, String place) {
        ArgumentSchema schema = ArgumentSchema.compile(Calls.TOOL.inputSchema());
        assertThat(schema.fault(new Json(arguments)))
                .hasValueSatisfying(fault -> assertThat(fault).contains(place));
    }
}
