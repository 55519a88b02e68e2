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
 * What a dry run would have changed, in the order of its calls.
 *
 * @param steps the calls that it did not make
 */
public record Plan(List<Step> steps) {
    /** What the trace says of a call that is listed. */
    public static final String LISTED = "plan";

    /** As {@link #LISTED}, where people would be asked. */
    public static final String LISTED_ASKING = "plan-ask";

    /** In the place of a rule, where the answer is that of a recording: no policy was asked. */
    public static final String RECORDED = "recording";

    private static final int PAGE = 500;

    public Plan {
        steps = List.copyOf(steps);
    }

    /**
     * One call.
     *
     * @param call its ordinal
     * @param effect what would be done
     * @param rule the rule of the policy that decided on it
     * @param asks whether people would be asked
     * @param answer what the script was told
     */
    public record Step(long call, Effect effect, String rule, boolean asks, Optional<Json> answer) {}

    /** Something that a script does. */
    public record Effect(ToolName tool, Json arguments) {}

    /** Reads the plan of a dry run, page by page. */
    public static Plan of(Journal journal, ExecutionId dryRun) {
        Map<Long, Effect> started = new HashMap<>();
        Map<Long, Integer> places = new HashMap<>();
        List<Step> steps = new ArrayList<>();
        List<TraceEvent> page = journal.trace(dryRun, 0, PAGE);
        while (!page.isEmpty()) {
            for (TraceEvent event : page) {
                if (event instanceof TraceEvent.ToolStarted call) {
                    started.put(call.call(), new Effect(call.tool(), call.arguments()));
                } else if (event instanceof TraceEvent.Judged judged) {
                    Effect effect = started.get(judged.call());
                    boolean asks = judged.decision().equals(LISTED_ASKING);
                    boolean listed = asks || judged.decision().equals(LISTED);
                    // A run that was interrupted may have listed it before.
                    if (effect != null && listed && !places.containsKey(judged.call())) {
                        places.put(judged.call(), steps.size());
                        steps.add(new Step(judged.call(), effect, judged.rule(), asks, Optional.empty()));
                    }
                } else if (event instanceof TraceEvent.ToolEnded ended) {
                    started.remove(ended.call());
                    Integer place = places.get(ended.call());
                    if (place != null) {
                        Step step = steps.get(place);
                        steps.set(
                                place, new Step(step.call(), step.effect(), step.rule(), step.asks(), ended.result()));
                    }
                }
            }
            page = journal.trace(dryRun, page.get(page.size() - 1).seq(), PAGE);
        }
        steps.sort((one, other) -> Long.compare(one.call(), other.call()));
        return new Plan(steps);
    }

    /** How often each effect may happen. */
    public Map<Effect, Integer> counts() {
        Map<Effect, Integer> counts = new HashMap<>();
        steps.forEach(step -> counts.merge(step.effect(), 1, Integer::sum));
        return counts;
    }
}
