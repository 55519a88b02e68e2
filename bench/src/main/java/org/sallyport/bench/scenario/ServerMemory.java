package org.sallyport.bench.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.sallyport.bench.report.BaselineComparison;
import org.sallyport.bench.report.MeasuredValue;
import org.sallyport.bench.report.PerformanceTarget;
import org.sallyport.bench.service.ServiceResourceUsage;
import org.sallyport.bench.service.ServiceUnderTest;

/** Memory of a server at one moment, as far as the system shows it. */
record ServerMemory(OptionalLong heap, Optional<ServiceResourceUsage> usage) {
    private static final double MAX_GROWTH = 1.2;
    private static final double BYTES_PER_MB = 1024 * 1024;

    static ServerMemory of(ServiceUnderTest service) {
        return new ServerMemory(service.liveHeap(), service.usage());
    }

    /**
     * Compares this with an earlier measurement. Resident memory has no target, because a Java VM uses what it may
     * before it collects.
     *
     * @param when time of the earlier measurement
     */
    List<MeasuredValue> compareWith(ServerMemory earlier, String when) {
        List<MeasuredValue> figures = new ArrayList<>();
        if (heap.isPresent() && earlier.heap.isPresent()) {
            double before = earlier.heap.getAsLong();
            figures.add(figure(
                    "server heap",
                    heap.getAsLong(),
                    before,
                    when,
                    PerformanceTarget.atMost(MAX_GROWTH * megabytes(before))));
        }
        if (usage.isPresent() && earlier.usage.isPresent()) {
            figures.add(figure(
                    "server RSS",
                    usage.get().serverBytes(),
                    earlier.usage.get().serverBytes(),
                    when,
                    PerformanceTarget.none()));
        }
        return figures;
    }

    private static MeasuredValue figure(String name, double now, double before, String when, PerformanceTarget target) {
        return new MeasuredValue(name, megabytes(now), "MB", target)
                .comparedWith(new BaselineComparison(when, megabytes(before), now / before));
    }

    private static double megabytes(double bytes) {
        return bytes / BYTES_PER_MB;
    }
}
