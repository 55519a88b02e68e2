package org.sallyport.bench.row;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BinaryOperator;
import java.util.stream.Collectors;
import org.sallyport.bench.measure.ClosedLoop;
import org.sallyport.bench.measure.Measured;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.report.Beside;
import org.sallyport.bench.report.Figure;
import org.sallyport.bench.report.Floor;
import org.sallyport.bench.report.Row;
import org.sallyport.bench.report.Target;
import org.sallyport.bench.service.Client;
import org.sallyport.bench.service.Reply;
import org.sallyport.bench.service.Script;

/** P3: many trivial scripts at once and no waiting, by single submits: how fast they are accepted, and when all have ended. */
public final class Burst {
    private static final int SUBMITTERS = 8;
    private static final int STRAGGLERS = 40;
    private static final int LOOK_AT_EVERY = 10;
    private static final double PER_SECOND = 1_000;
    private static final double ACCEPTED_PER_SECOND = 5_000;
    private static final double NANOS_PER_SECOND = 1e9;

    private Burst() {}

    /** Submits so many, and looks at them when all have ended. */
    public static Result measure(TestBed bed, int items) throws Exception {
        Client client = bed.client();
        ClosedLoop lanes = new ClosedLoop(SUBMITTERS);
        Map<Long, Reply> receipts = new ConcurrentHashMap<>();
        CpuMeter cpu = CpuMeter.of(bed.service());
        Measured accepted = cpu.during(() -> {
            Measured submits = lanes.times(items, number -> {
                Reply receipt = client.submit(Script.trivial(number));
                receipts.put(number, receipt);
                return receipt.nanos();
            });
            // The youngest end last, or nearly so: waiting for them costs the service little while it works.
            for (long number = items - 1; number >= Math.max(0, items - STRAGGLERS); number--) {
                client.ended(receipt(receipts, number).id());
            }
            return submits;
        });
        List<Reply> ends = new ArrayList<>();
        for (Reply seen : client.youngest(items)) {
            ends.add(seen.ended() ? seen : client.ended(seen.id()));
        }
        check(client, receipts, ends);
        Duration took = Duration.between(first(receipts), latest(ends));
        double rate = items * NANOS_PER_SECOND / took.toNanos();
        CpuMeter floorCpu = CpuMeter.ofThisProcess();
        Measured floor = floorCpu.during(() -> lanes.times(items, bed.jdbc()));
        Row row = new Row(
                "P3",
                String.format("%,d single submits, %d at a time", items, SUBMITTERS),
                items,
                cpu.each(items),
                List.of(
                        new Figure("to the last end", rate, "/s", Target.atLeast(PER_SECOND))
                                .beside(new Beside("two commits", floor.perSecond(), floor.perSecond() / rate)),
                        new Figure("accepted", accepted.perSecond(), "/s", Target.atLeast(ACCEPTED_PER_SECOND))));
        return Result.of(
                row,
                new Floor(
                        "two commits on H2, c=" + SUBMITTERS,
                        floor.count(),
                        floor.latencies().p50(),
                        floor.perSecond(),
                        floorCpu.each(items)));
    }

    private static Reply receipt(Map<Long, Reply> receipts, long number) throws WrongResultException {
        Reply receipt = receipts.get(number);
        if (receipt == null) {
            throw new WrongResultException("submission " + number + " has no receipt");
        }
        return receipt;
    }

    private static Instant first(Map<Long, Reply> receipts) {
        return receipts.values().stream()
                .map(Reply::sentAt)
                .reduce(BinaryOperator.minBy(Instant::compareTo))
                .orElseThrow();
    }

    /** Each is there and has completed; results are looked at one by one, so at some of them only. */
    private static void check(Client client, Map<Long, Reply> receipts, List<Reply> ends) throws Exception {
        Set<String> completed = ends.stream()
                .filter(end -> end.state().equals("COMPLETED"))
                .map(Reply::id)
                .collect(Collectors.toSet());
        for (Reply receipt : receipts.values()) {
            if (!completed.contains(receipt.id())) {
                throw new WrongResultException("accepted and not completed: "
                        + client.execution(receipt.id()).body());
            }
        }
        for (long number = 0; number < receipts.size(); number += LOOK_AT_EVERY) {
            client.execution(receipt(receipts, number).id()).expectResult(number + 1);
        }
    }

    private static Instant latest(List<Reply> ends) throws WrongResultException {
        Instant latest = Instant.MIN;
        for (Reply end : ends) {
            Instant at = end.at("finishedAt");
            latest = at.isAfter(latest) ? at : latest;
        }
        return latest;
    }
}
