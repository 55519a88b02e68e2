package org.sallyport.bench.row;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Service;
import org.sallyport.bench.service.Usage;

/** What a server holds at one moment, as far as the system shows it. */
record Held(OptionalLong heap, Optional<Usage> usage) {
    private static final double GROWTH = 1.2;
    private static final double BYTES_PER_MB = 1024 * 1024;

    static Held by(Service service) {
        return new Held(service.liveHeap(), service.usage());
    }

    /**
     * This beside what was held earlier. Of the resident memory nothing is asked: a Java VM takes what it may have before it
     * collects.
     *
     * @param when that was
     */
    List<Figure> beside(Held earlier, String when) {
        List<Figure> figures = new ArrayList<>();
        if (heap.isPresent() && earlier.heap.isPresent()) {
            double before = earlier.heap.getAsLong();
            figures.add(
                    figure("server heap", heap.getAsLong(), before, when, Target.atMost(GROWTH * megabytes(before))));
        }
        if (usage.isPresent() && earlier.usage.isPresent()) {
            figures.add(figure(
                    "server RSS", usage.get().serverBytes(), earlier.usage.get().serverBytes(), when, Target.none()));
        }
        return figures;
    }

    private static Figure figure(String name, double now, double before, String when, Target target) {
        return new Figure(name, megabytes(now), "MB", target).beside(new Beside(when, megabytes(before), now / before));
    }

    private static double megabytes(double bytes) {
        return bytes / BYTES_PER_MB;
    }
}
