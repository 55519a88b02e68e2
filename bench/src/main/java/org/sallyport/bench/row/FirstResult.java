package org.sallyport.bench.row;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Service;
import org.sallyport.bench.service.Usage;

/** P11: from nothing to the first result, and the memory held at the end of the run. */
public final class FirstResult {
    private static final double SECONDS = 15;
    private static final double SERVER_MB = 600;
    private static final double WORKER_MB = 150;
    private static final double MILLIS_PER_SECOND = 1e3;
    private static final double BYTES_PER_MB = 1024 * 1024;

    private FirstResult() {}

    /**
     * Looks at the memory; the time has been taken.
     *
     * @param took from before the start of the service to the first result
     */
    public static Result measure(Service service, Duration took) {
        List<Figure> figures = new ArrayList<>();
        figures.add(new Figure("time", took.toMillis() / MILLIS_PER_SECOND, "s", Target.atMost(SECONDS)));
        service.usage().ifPresent(usage -> figures.addAll(memory(usage)));
        return Result.of(
                new Row("P11", "cold start to first result; memory after load", 1, OptionalDouble.empty(), figures));
    }

    private static List<Figure> memory(Usage usage) {
        return List.of(
                new Figure("server RSS", usage.serverBytes() / BYTES_PER_MB, "MB", Target.atMost(SERVER_MB)),
                new Figure(
                        "largest of " + usage.workers() + " workers, RSS",
                        usage.workerBytes() / BYTES_PER_MB,
                        "MB",
                        Target.atMost(WORKER_MB)));
    }
}
