package org.sallyport.bench.scenario;

import java.time.Duration;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.sallyport.bench.service.ServiceResourceUsage;
import org.sallyport.bench.service.ServiceUnderTest;

/** Sums the CPU time of measured work. Not thread-safe. */
final class CpuMeter {
    private static final double NANOS_PER_MILLI = 1e6;

    private final Supplier<OptionalDouble> clock;
    private double totalMillis;
    private boolean incomplete;

    private CpuMeter(Supplier<OptionalDouble> clock) {
        this.clock = clock;
    }

    /** Returns a meter for all processes of a service. */
    static CpuMeter of(ServiceUnderTest service) {
        return new CpuMeter(() -> service.usage()
                .map(ServiceResourceUsage::cpuMillis)
                .map(OptionalDouble::of)
                .orElseGet(OptionalDouble::empty));
    }

    /** Returns a meter for this process alone. */
    static CpuMeter ofThisProcess() {
        return new CpuMeter(() -> ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .map(nanos -> OptionalDouble.of(nanos / NANOS_PER_MILLI))
                .orElseGet(OptionalDouble::empty));
    }

    /** Runs the work and adds its CPU time. */
    <T> T measure(Callable<T> work) throws Exception {
        OptionalDouble before = clock.get();
        T result = work.call();
        OptionalDouble after = clock.get();
        if (before.isPresent() && after.isPresent()) {
            totalMillis += after.getAsDouble() - before.getAsDouble();
        } else {
            incomplete = true;
        }
        return result;
    }

    /**
     * Returns the CPU milliseconds per operation; empty if the CPU time of any measured work was not available, or if
     * {@code operations} is zero.
     */
    OptionalDouble millisPerOperation(long operations) {
        return incomplete || operations == 0 ? OptionalDouble.empty() : OptionalDouble.of(totalMillis / operations);
    }
}
