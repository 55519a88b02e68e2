package org.sallyport.bench.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.service.ServiceResourceUsage;

class ServerMemoryTest {
    private static final long MEGABYTE = 1024 * 1024;

    @Test
    void heapGrowthOverAFifthMissesItsTarget() {
        List<MeasuredValue> figures = memory(120).compareWith(memory(100), "early");
        assertThat(figures).extracting(MeasuredValue::name).containsExactly("server heap", "server RSS");
        assertThat(figures.get(0).value()).isEqualTo(120);
        assertThat(figures.get(0).targetReached()).isTrue();
        assertThat(figures.get(0).comparedWith()).contains(new BaselineComparison("early", 100, 1.2));
        assertThat(memory(121).compareWith(memory(100), "early").get(0).targetReached())
                .isFalse();
    }

    @Test
    void unavailableMemoryGivesNoFigure() {
        ServerMemory unknown = new ServerMemory(OptionalLong.empty(), Optional.empty());
        assertThat(unknown.compareWith(memory(100), "early")).isEmpty();
        assertThat(memory(100).compareWith(unknown, "early")).isEmpty();
    }

    private static ServerMemory memory(long heap) {
        return new ServerMemory(
                OptionalLong.of(heap * MEGABYTE),
                Optional.of(new ServiceResourceUsage(0, 5 * heap * MEGABYTE, 1, MEGABYTE, MEGABYTE, 1)));
    }
}
