package org.sallyport.web.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.messaging.BrokerUnavailableException;
import org.sallyport.runner.LeaseManager.LeaseState;
import org.sallyport.sandbox.SandboxStatus;

class ComponentHealthTest {
    private static final Duration AGO = Duration.ofMillis(1_200);

    private static SandboxStatus sandbox(boolean available) {
        return new SandboxStatus("worker", available, 0, 0, 0, List.of("no-network"), List.of("own-user"));
    }

    @Test
    void unreachableComponentIsDownWithTheReason() {
        ComponentHealth database = ComponentHealth.ofPing(() -> {
            throw new StoreUnavailableException("the disk is full", new IllegalStateException("40 MB"));
        });
        ComponentHealth broker = ComponentHealth.ofPing(() -> {
            throw new BrokerUnavailableException("nobody listens", new IllegalStateException("refused"));
        });

        assertThat(database.up()).isFalse();
        assertThat(database.data()).hasToString("{\"failure\":\"the disk is full\"}");
        assertThat(broker.up()).isFalse();
        assertThat(broker.data()).hasToString("{\"failure\":\"nobody listens\"}");
        assertThat(ComponentHealth.ofPing(() -> {}).up()).isTrue();
    }

    @Test
    void unavailableSandboxIsDown() {
        assertThat(ComponentHealth.of(sandbox(true)).up()).isTrue();
        assertThat(ComponentHealth.of(sandbox(false)).up()).isFalse();
        assertThat(ComponentHealth.of(sandbox(false))
                        .data()
                        .path("missingIsolation")
                        .asText())
                .isEqualTo("own-user");
    }

    @ParameterizedTest
    @EnumSource(LeaseState.class)
    void nodeIsUpOnlyWhileItHoldsItsLease(LeaseState standing) {
        ComponentHealth node = ComponentHealth.of("node-1", standing, AGO);

        assertThat(node.up()).isEqualTo(standing == LeaseState.HELD);
        assertThat(node.data().path("renewedMillisAgo").asLong()).isEqualTo(1_200);
    }

    @Test
    void failedCheckMakesTheStatusDownWithoutDetailsForStrangers() {
        Map<String, ComponentHealth> checks = new LinkedHashMap<>();
        checks.put("node", ComponentHealth.of("node-1", LeaseState.HELD, AGO));
        assertThat(ComponentHealth.body(checks, false))
                .hasToString("{\"status\":\"UP\",\"checks\":[{\"name\":\"node\",\"status\":\"UP\"}]}");
        checks.put("sandbox", ComponentHealth.of(sandbox(false)));

        assertThat(ComponentHealth.body(checks, false))
                .hasToString("{\"status\":\"DOWN\",\"checks\":["
                        + "{\"name\":\"node\",\"status\":\"UP\"},{\"name\":\"sandbox\",\"status\":\"DOWN\"}]}");
        assertThat(ComponentHealth.body(checks, true).at("/checks/0/data/id").asText())
                .isEqualTo("node-1");
        assertThat(ComponentHealth.body(Map.of(), false)).hasToString("{\"status\":\"UP\",\"checks\":[]}");
    }
}
