package org.sallyport.telemetry;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.IntSupplier;

/** What became of spans on this node, in figures. Thread-safe. */
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

    /** Spans that the collector took. */
    public long sent() {
        return sent.sum();
    }

    /** Spans that it refused. */
    public long dropped() {
        return dropped.sum();
    }

    /** Executions whose spans it refused, or did not take in time. */
    public long droppedExecutions() {
        return droppedExecutions.sum();
    }

    /** Requests that it did not take. */
    public long failures() {
        return failures.sum();
    }

    /** Ended executions whose spans this node has yet to send. */
    public int waiting() {
        return waiting.getAsInt();
    }
}
