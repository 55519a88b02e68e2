package org.sallyport.telemetry;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/** Metrics of span export on this node. Thread-safe. */
public final class SpanExportMetrics {
    private final LongAdder sent = new LongAdder();
    private final LongAdder dropped = new LongAdder();
    private final LongAdder droppedExecutions = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private volatile IntSupplier waiting = () -> 0;

    void waiting(IntSupplier count) {
        waiting = count;
    }

    void sent(int spans) {
        sent.add(spans);
    }

    void dropped(int executions, int spans) {
        droppedExecutions.add(executions);
        dropped.add(spans);
    }

    void recordFailure() {
        failures.increment();
    }

    /** Returns the number of spans that the collector accepted. */
    public long sent() {
        return sent.sum();
    }

    /** Returns the number of spans that the collector rejected. */
    public long dropped() {
        return dropped.sum();
    }

    /** Returns the number of executions whose spans the collector rejected or did not accept in time. */
    public long droppedExecutions() {
        return droppedExecutions.sum();
    }

    /** Returns the number of failed requests. */
    public long failures() {
        return failures.sum();
    }

    /** Returns the number of ended executions whose spans this node has not yet sent. */
    public int waiting() {
        return waiting.getAsInt();
    }
}
