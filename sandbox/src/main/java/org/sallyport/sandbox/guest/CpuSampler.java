package org.sallyport.sandbox.guest;

import com.oracle.truffle.api.source.SourceSection;
import com.oracle.truffle.tools.profiler.CPUSampler;
import com.oracle.truffle.tools.profiler.StackTraceEntry;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.graalvm.polyglot.Engine;
import org.sallyport.sandbox.parser.PositionMap;
import org.sallyport.sandbox.parser.SourcePosition;

/** Samples the stack of a context once a millisecond, on its own thread. */
final class CpuSampler implements AutoCloseable {
    private static final long PERIOD_NANOS = 1_000_000;
    private static final long SAMPLE_TIMEOUT_MILLIS = 50;

    private final CPUSampler sampler;
    private final Map<String, PositionMap> positions;
    private final CpuProfile profile = new CpuProfile(System.nanoTime());
    private final Thread thread = new Thread(this::run, "sallyport-sampler");
    private volatile boolean closed;

    private CpuSampler(Engine engine, Map<String, PositionMap> positions) {
        sampler = CPUSampler.find(engine);
        this.positions = Map.copyOf(positions);
        thread.setDaemon(true);
    }

    static CpuSampler start(Engine engine, Map<String, PositionMap> positions) {
        CpuSampler sampler = new CpuSampler(engine, positions);
        sampler.thread.start();
        return sampler;
    }

    /** Returns all samples so far, as the text of a {@code .cpuprofile} file. */
    String profileJson() {
        synchronized (profile) {
            return profile.toJson(System.nanoTime());
        }
    }

    @Override
    public void close() {
        closed = true;
        try {
            thread.join(SAMPLE_TIMEOUT_MILLIS * 2);
        } catch (InterruptedException hurry) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        while (!closed) {
            try {
                TimeUnit.NANOSECONDS.sleep(PERIOD_NANOS);
                Map<Thread, List<StackTraceEntry>> taken =
                        sampler.takeSample(SAMPLE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
                List<StackTraceEntry> stack = taken.values().stream()
                        .filter(each -> !each.isEmpty())
                        .findFirst()
                        .orElse(List.of());
                synchronized (profile) {
                    profile.add(System.nanoTime(), frames(stack));
                }
            } catch (InterruptedException closing) {
                return;
            } catch (RuntimeException engineClosed) {
                return;
            }
        }
    }

    /** Returns the frames of the author's code, outermost first. */
    private List<CpuProfile.ProfileStackFrame> frames(List<StackTraceEntry> stack) {
        List<CpuProfile.ProfileStackFrame> frames = new ArrayList<>();
        for (StackTraceEntry entry : stack) {
            SourceSection section = entry.getSourceSection();
            String source = section == null ? "" : section.getSource().getName();
            PositionMap map = positions.get(source);
            if (map != null) {
                SourcePosition place =
                        map.toOriginal(new SourcePosition(section.getStartLine(), section.getStartColumn()));
                frames.add(new CpuProfile.ProfileStackFrame(entry.getRootName(), source, place));
            }
        }
        Collections.reverse(frames);
        return frames;
    }
}
