package org.sallyport.policyengine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.policy.PolicyStore;
import org.sallyport.policy.PolicyVersion;
import org.sallyport.tool.Json;

/** Contract of {@link PolicyStore}, for every implementation. */
public abstract class PolicyStoreContract {
    private static final Json NONE = new Json("{\"rules\":[]}");

    protected abstract PolicyStore policies();

    @Test
    void versionsAreNumberedPerTenantAndTheNewestIsActive() {
        assertThat(policies().findNewest("t\u0000")).isEmpty();
        assertThat(policies().add("t\u0000", 0, NONE, "first", "anna")).hasValue(1);
        assertThat(policies().add("t\u0000", 1, new Json("{\"rules\":[],\"otherwise\":\"deny\"}"), "", "ben"))
                .hasValue(2);
        assertThat(policies().add("u", 0, NONE, "", "anna")).hasValue(1);
        assertThat(policies().findNewest("t\u0000"))
                .hasValueSatisfying(
                        newest -> assertThat(newest.document().text()).contains("deny"));
        assertThat(policies().findNewest("t\u0000")).map(PolicyVersion::version).hasValue(2L);
        assertThat(policies().find("t\u0000", 1)).hasValueSatisfying(version -> {
            assertThat(version.document()).isEqualTo(NONE);
            assertThat(version.comment()).isEqualTo("first");
            assertThat(version.author()).isEqualTo("anna");
        });
        assertThat(policies().find("u", 2)).isEmpty();
        assertThat(policies().find("u", 0)).isEmpty();
    }

    @Test
    void replaceOfAnOutdatedVersionIsRefused() {
        policies().add("t", 0, NONE, "", "anna");
        assertThat(policies().add("t", 0, NONE, "", "ben")).isEmpty();
        assertThat(policies().add("t", 2, NONE, "", "ben")).isEmpty();
    }

    @Test
    void oneOfConcurrentReplacementsSucceeds() throws Exception {
        List<OptionalLong> added =
                ConcurrencyTestUtil.runConcurrently(8, i -> policies().add("t", 0, NONE, "", "k" + i));
        assertThat(added).filteredOn(OptionalLong::isPresent).hasSize(1);
    }
}
