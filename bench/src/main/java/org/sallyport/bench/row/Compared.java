package org.sallyport.bench.row;

import java.util.OptionalDouble;
import org.sallyport.bench.measure.Load;
import org.sallyport.bench.measure.Turns;
import org.sallyport.bench.report.Floor;
import org.sallyport.bench.service.Service;

/** A load of the service and a bare one by turns, with the computing time of each. */
record Compared(Turns turns, OptionalDouble cpuMillis, OptionalDouble floorCpuMillis) {

    /**
     * Runs both so many times.
     *
     * @param load of the service; the whole of it counts for its computing time
     */
    static Compared take(int rounds, Service service, Load load, Load floor) throws Exception {
        CpuMeter cpu = CpuMeter.of(service);
        CpuMeter floorCpu = CpuMeter.ofThisProcess();
        Turns turns = Turns.take(rounds, () -> cpu.during(load::run), () -> floorCpu.during(floor::run));
        return new Compared(
                turns,
                cpu.each(turns.load().count()),
                floorCpu.each(turns.floor().count()));
    }

    Floor floor(String what) {
        return new Floor(
                what,
                turns.floor().count(),
                turns.floor().latencies().p50(),
                turns.floor().perSecond(),
                floorCpuMillis);
    }
}
