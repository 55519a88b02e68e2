package org.sallyport.journal;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
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

    /**
     * Reads the plan of a dry run, page by page. Empty when the listed calls and their results have more than {@code
     * maxBytes} bytes.
     */
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

    /**
     * Passes each effect that a dry run lists to {@code action}. Reads page by page, and holds only the arguments of
     * calls without a reply.
     */
    public static void forEachEffect(Journal journal, ExecutionId dryRun, Consumer<PlannedEffect> action) {
        Map<Long, PlannedEffect> open = new HashMap<>();
        Set<Long> listed = new HashSet<>();
        TracePager.forEach(journal::readTrace, dryRun, event -> {
            if (event instanceof TraceEvent.ToolStarted call) {
                open.put(call.call(), new PlannedEffect(call.tool(), call.arguments()));
            } else if (event instanceof TraceEvent.ToolEnded ended) {
                open.remove(ended.call());
            } else if (event instanceof TraceEvent.PolicyDecided judged && isListed(judged)) {
                PlannedEffect effect = open.get(judged.call());
                // An interrupted attempt may have listed the call before.
                if (effect != null && listed.add(judged.call())) {
                    action.accept(effect);
                }
            }
        });
    }

    private static boolean isListed(TraceEvent.PolicyDecided judged) {
        return judged.decision().equals(PLANNED) || judged.decision().equals(PLANNED_WITH_APPROVAL);
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
            // An interrupted attempt may have listed the call before.
            if (effect != null && isListed(judged) && !places.containsKey(judged.call())) {
                bytes += JournalSize.ofEntry(judged)
                        + JournalSize.ofText(effect.arguments().text());
                places.put(judged.call(), steps.size());
                steps.add(new PlanStep(judged.call(), effect, judged.rule(), asks, Optional.empty()));
            }
        }
    }
}
