package org.sallyport.bench.row;

import org.sallyport.bench.measure.Latencies;

/** Tells when a service is as quick as it was: one that is quick may be luck, so it is the median of some in a row. Not thread-safe. */
final class Recovery {
    /** Of what it took before, as beside other work (P7). */
    private static final double RATIO = 1.5;

    private static final int IN_A_ROW = 11;

    private final double most;
    private Latencies row = new Latencies();

    /**
     * @param usual milliseconds that one took before
     */
    Recovery(double usual) {
        this.most = RATIO * usual;
    }

    /** Counts one that was served. */
    void served(long nanos) {
        if (row.count() == IN_A_ROW) {
            row = new Latencies();
        }
        row.record(nanos);
    }

    /** Begins a new row: one was refused. */
    void refused() {
        row = new Latencies();
    }

    /** Whether those in a row are as many as count, and half of them quick enough. */
    boolean reached() {
        return row.count() == IN_A_ROW && row.p50() <= most;
    }
}
