package org.sallyport.bench.scenario;

import java.util.OptionalDouble;
import org.sallyport.bench.measure.AlternatingRuns;
import org.sallyport.bench.measure.Workload;
import org.sallyport.bench.report.BaselineRow;
import org.sallyport.bench.service.ServiceUnderTest;

/** Result of a load of the service and of a baseline that ran alternately, with the CPU time per operation of each. */
record AlternatingMeasurement(AlternatingRuns runs, OptionalDouble cpuMillis, OptionalDouble baselineCpuMillis) {

    /**
     * Runs the load and the baseline, alternately.
     *
     * @param load a load of the service; the CPU time of the service during the whole load counts
     */
    static AlternatingMeasurement measure(int rounds, ServiceUnderTest service, Workload load, Workload floor)
            throws Exception {
        CpuMeter cpu = CpuMeter.of(service);
        CpuMeter floorCpu = CpuMeter.ofThisProcess();
        AlternatingRuns turns =
                AlternatingRuns.run(rounds, () -> cpu.measure(load::run), () -> floorCpu.measure(floor::run));
        return new AlternatingMeasurement(
                turns,
                cpu.millisPerOperation(turns.loadTotal().count()),
                floorCpu.millisPerOperation(turns.baselineTotal().count()));
    }

    BaselineRow baselineRow(String what) {
        return new BaselineRow(
                what,
                runs.baselineTotal().count(),
                runs.baselineTotal().latencies().p50(),
                runs.baselineTotal().perSecond(),
                baselineCpuMillis);
    }
}
