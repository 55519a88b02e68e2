package org.sallyport.bench.service;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeGaugesTest {

    @Test
    void valuesAreReadWithTheirLabels() {
        NodeGauges gauges = NodeGauges.parse("""
                # HELP sallyport_open_calls Tool calls that are sent and not answered.
                # TYPE sallyport_open_calls gauge
                sallyport_open_calls 250.0
                sallyport_executions{state="RUNNING"} 3.0
                sallyport_executions{state="WAITING"} 1.0E5
                sallyport_execution_life_seconds_bucket{le="+Inf"} 7
                jvm_something +Inf
                sallyport_live_executions 251
                """);

        assertThat(gauges.openCalls()).isEqualTo(250);
        assertThat(gauges.parkedExecutions()).isEqualTo(100_000);
        assertThat(gauges.liveExecutions()).isEqualTo(251);
    }

    @Test
    void missingGaugeCountsAsZero() {
        assertThat(NodeGauges.parse("").parkedExecutions()).isZero();
    }
}
