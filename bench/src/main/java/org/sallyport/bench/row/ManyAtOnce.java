package org.sallyport.bench.row;

import java.util.ArrayList;
import java.util.List;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Script;

/** P2: trivial scripts, submitted and waited for, 32 at a time. */
public final class ManyAtOnce {
    private static final int CONCURRENCY = 32;
    private static final double PER_SECOND = 500;
    private static final double CPU_MILLIS = 3;

    private ManyAtOnce() {}

    /** Measures for a while. */
    public static Result measure(TestBed bed, Stretch stretch) throws Exception {
        ClosedLoop loop = new ClosedLoop(CONCURRENCY);
        Compared compared = Compared.take(
                stretch.rounds(),
                bed.service(),
                () -> loop.during(
                        stretch.service(),
                        number -> bed.client()
                                .run(Script.trivial(number))
                                .expectResult(number + 1)
                                .nanos()),
                () -> loop.during(stretch.floor(), bed.jdbc()));
        Measured all = compared.turns().load();
        Beside commits = new Beside(
                "two commits",
                compared.turns().floor().perSecond(),
                compared.turns().ratio(Measured::millisEach));
        List<Figure> figures = new ArrayList<>();
        figures.add(new Figure("rate", all.perSecond(), "/s", Target.atLeast(PER_SECOND)).beside(commits));
        compared.cpuMillis().ifPresent(cpu -> figures.add(new Figure("CPU", cpu, "ms", Target.atMost(CPU_MILLIS))));
        Row row = new Row("P2", "submit and wait, c=" + CONCURRENCY, all.count(), compared.cpuMillis(), figures);
        return Result.of(row, compared.floor("two commits on H2, c=" + CONCURRENCY));
    }
}
