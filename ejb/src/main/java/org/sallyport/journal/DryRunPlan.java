package org.sallyport.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;

/**
 * The changes that a dry run would have made, in the order of its calls.
 *
 * @param steps the calls that it did not make
 */
public record DryRunPlan(List<PlanStep> steps) {
    /** Decision in the trace for a call that is listed instead of made. */
    public static final String PLANNED = "plan";

    /** Like {@link #PLANNED}, for a call that would need an approval. */
    public static final String PLANNED_WITH_APPROVAL = "plan-ask";

    /** Stands in place of a rule when the reply comes from a journal: no policy was evaluated. */
    public static final String RECORDING_RULE = "recording";

    public DryRunPlan {
        steps = List.copyOf(steps);
    }

    /**
     * One call.
     *
     * @param call its ordinal
     * @param effect the effect that the call would have
     * @param rule the policy rule that decided on it
     * @param needsApproval whether the call would need an approval
     * @param result the mocked result that the script received
     */
    public record PlanStep(
            long call, PlannedEffect effect, String rule, boolean needsApproval, Optional<Json> result) {}

    /** A tool with its arguments. */
    public record PlannedEffect(ToolName tool, Json arguments) {}

    /** Reads the plan of a dry run, page by page. */
    public static DryRunPlan of(Journal journal, ExecutionId dryRun) {
        return read(journal, dryRun, Long.MAX_VALUE).orElseThrow();
    }

    /** Like {@link #of}; empty when the listed calls and their results have more than {@code maxBytes} bytes. */
    public static Optional<DryRunPlan> read(Journal journal, ExecutionId dryRun, long maxBytes) {
        PlannedCalls calls = new PlannedCalls();
        TracePager pager = new TracePager(journal::readTrace, dryRun);
        for (List<TraceEvent> page = pager.nextPage(); !page.isEmpty(); page = pager.nextPage()) {
            page.forEach(calls::add);
            if (calls.bytes > maxBytes) {
                return Optional.empty();
            }
        }
        calls.steps.sort((one, other) -> Long.compare(one.call(), other.call()));
        return Optional.of(new DryRunPlan(calls.steps));
    }

    /** Collects the calls that a dry run lists from the events of its trace. */
    private static final class PlannedCalls {
        private final Map<Long, PlannedEffect> started = new HashMap<>();
        private final Map<Long, Integer> places = new HashMap<>();
        private final List<PlanStep> steps = new ArrayList<>();
        private long bytes;

        void add(TraceEvent event) {
            if (event instanceof TraceEvent.ToolStarted call) {
                started.put(call.call(), new PlannedEffect(call.tool(), call.arguments()));
            } else if (event instanceof TraceEvent.PolicyDecided judged) {
                addDecision(judged);
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                started.remove(ended.call());
                Integer place = places.get(ended.call());
                if (place != null) {
                    bytes += JournalSize.ofEntry(ended);
                    PlanStep step = steps.get(place);
                    steps.set(
                            place,
                            new PlanStep(
                                    step.call(), step.effect(), step.rule(), step.needsApproval(), ended.result()));
                }
            }
        }

        private void addDecision(TraceEvent.PolicyDecided judged) {
            PlannedEffect effect = started.get(judged.call());
            boolean asks = judged.decision().equals(PLANNED_WITH_APPROVAL);
            boolean listed = asks || judged.decision().equals(PLANNED);
            // An interrupted attempt may have listed the call before.
            if (effect != null && listed && !places.containsKey(judged.call())) {
                bytes += JournalSize.ofEntry(judged)
                        + JournalSize.ofText(effect.arguments().text());
                places.put(judged.call(), steps.size());
                steps.add(new PlanStep(judged.call(), effect, judged.rule(), asks, Optional.empty()));
            }
        }
    }

    /** Returns how often each effect may happen. */
    public Map<PlannedEffect, Integer> countByEffect() {
        Map<PlannedEffect, Integer> counts = new HashMap<>();
        steps.forEach(step -> counts.merge(step.effect(), 1, Integer::sum));
        return counts;
    }
}
