package org.sallyport.bench.row;

import java.time.Duration;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.sallyport.bench.service.ServiceResourceUsage;
import org.sallyport.bench.service.ServiceUnderTest;

/** Adds up the computing time that pieces of work take. Not thread-safe. */
final class CpuMeter {
    private static final double NANOS_PER_MILLI = 1e6;

    private final Supplier<OptionalDouble> clock;
    private double totalMillis;
    private boolean incomplete;

    private CpuMeter(Supplier<OptionalDouble> clock) {
        this.clock = clock;
    }

    /** For all processes of a service. */
    static CpuMeter of(ServiceUnderTest service) {
        return new CpuMeter(() -> service.usage()
                .map(ServiceResourceUsage::cpuMillis)
                .map(OptionalDouble::of)
                .orElseGet(OptionalDouble::empty));
    }

    /** For this process alone. */
    static CpuMeter ofThisProcess() {
        return new CpuMeter(() -> ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .map(nanos -> OptionalDouble.of(nanos / NANOS_PER_MILLI))
                .orElseGet(OptionalDouble::empty));
    }

    /** Does a piece of work and counts it. */
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

    /** Milliseconds of one operation; nothing if any piece of work could not be counted. */
    OptionalDouble millisPerOperation(long operations) {
        return incomplete || operations == 0 ? OptionalDouble.empty() : OptionalDouble.of(totalMillis / operations);
    }
}
