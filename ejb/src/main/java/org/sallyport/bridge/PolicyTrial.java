package org.sallyport.bridge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.NestedRunStore;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Policy;
import org.sallyport.policy.Situation;
import org.sallyport.tool.ToolName;

/** Judges calls that were made by rules that are not in force. */
public final class PolicyTrial {
    private static final int PAGE = 500;
    private static final int MOST_CALLS = 200_000;
    private static final int MOST_CHANGES = 1_000;

    private final ExecutionStore executions;
    private final Journal journal;
    private final CallGate gate;
    private final NestedRunStore nested;

    /** @param gate knows the tools */
    public PolicyTrial(ExecutionStore executions, Journal journal, CallGate gate, NestedRunStore nested) {
        this.nested = nested;
        this.executions = executions;
        this.journal = journal;
        this.gate = gate;
    }

    /**
     * What came out.
     *
     * @param executions how many were looked at
     * @param calls how many calls these made of tools that there are
     * @param changed the calls that would be judged differently
     * @param complete false when there was too much to look at, or to tell
     */
    public record Result(int executions, int calls, List<Change> changed, boolean complete) {
        public Result {
            changed = List.copyOf(changed);
        }
    }

    /**
     * A call that would be judged differently.
     *
     * @param now what the rules in force say of it
     * @param then what the others say
     * @param rule the rule of the others that decides
     */
    public record Change(ExecutionId execution, long call, ToolName tool, String now, String then, String rule) {}

    /** A decision in one word. */
    public static String name(Decision decision) {
        if (decision instanceof Decision.Allow) {
            return "allow";
        } else if (decision instanceof Decision.Deny) {
            return "deny";
        }
        return decision instanceof Decision.Ask ? "ask" : "mock";
    }

    /** Looks at the tenant's newest executions, at most so many. */
    public Result run(String tenant, int most, Policy inForce, Policy proposed) {
        Comparison comparison = new Comparison(tenant, inForce, proposed);
        int seen = 0;
        Optional<ExecutionId> before = Optional.empty();
        while (seen < most) {
            List<ExecutionSummary> page = executions
                    .list(tenant, new ExecutionFilter(Set.of()), before, Math.min(PAGE, most - seen))
                    .items();
            for (ExecutionSummary each : page) {
                comparison.look(each);
                seen++;
                if (comparison.full()) {
                    return comparison.result(seen);
                }
            }
            if (page.isEmpty()) {
                break;
            }
            before = Optional.of(page.get(page.size() - 1).id());
        }
        return comparison.result(seen);
    }

    /** What the others of a tree called in the end, asked once for one execution: when they did is not told. */
    private final class Around implements Supplier<List<ToolName>> {
        private final ExecutionSummary execution;
        private final List<ToolName> before;
        private @Nullable List<ToolName> asked;

        Around(ExecutionSummary execution, List<ToolName> before) {
            this.execution = execution;
            this.before = before;
        }

        @Override
        public List<ToolName> get() {
            if (execution.parent().isEmpty()
                    && execution.rerunOf().isEmpty()
                    && before.stream()
                            .noneMatch(tool -> gate.spelt(tool).backend().equals(CapabilityTools.BACKEND))) {
                return List.of();
            }
            List<ToolName> known = asked;
            if (known == null) {
                known = nested.calledAround(execution.id());
                asked = known;
            }
            return known;
        }
    }

    /** What two policies say of the same calls. */
    private final class Comparison {
        private final String tenant;
        private final Policy inForce;
        private final Policy proposed;
        private final List<Change> changed = new ArrayList<>();
        /** Each is looked up once: a capability costs a query. */
        private final Map<ToolName, Optional<CatalogTool>> tools = new HashMap<>();

        private int calls;

        Comparison(String tenant, Policy inForce, Policy proposed) {
            this.tenant = tenant;
            this.inForce = inForce;
            this.proposed = proposed;
        }

        boolean full() {
            return calls >= MOST_CALLS || changed.size() >= MOST_CHANGES;
        }

        Result result(int seen) {
            return new Result(seen, calls, changed, !full());
        }

        void look(ExecutionSummary execution) {
            ExecutionId id = execution.id();
            List<ToolName> before = new ArrayList<>();
            Around around = new Around(execution, before);
            List<TraceEvent> page = journal.trace(id, 0, PAGE);
            while (!page.isEmpty() && !full()) {
                for (TraceEvent event : page) {
                    if (event instanceof TraceEvent.ToolStarted started) {
                        judge(execution, started, before, around);
                        before.add(started.tool());
                    } else if (event instanceof TraceEvent.Judged judged
                            && judged.decision().equals(TraceEvent.Judged.FALLBACK)) {
                        before.add(judged.tool());
                    }
                }
                page = journal.trace(id, page.get(page.size() - 1).seq(), PAGE);
            }
        }

        private void judge(
                ExecutionSummary execution,
                TraceEvent.ToolStarted started,
                List<ToolName> before,
                Supplier<List<ToolName>> around) {
            Optional<CatalogTool> tool = tools.computeIfAbsent(started.tool(), name -> gate.find(name, tenant));
            if (tool.isEmpty()) {
                return;
            }
            calls++;
            Situation situation = new Situation(tenant, () -> before, started.at())
                    .running(execution.capability().map(CapabilityRef::toString))
                    .around(around)
                    .spelling(gate::spelt);
            Decision now = inForce.decide(tool.get().spec(), started.arguments(), situation);
            Decision then = proposed.decide(tool.get().spec(), started.arguments(), situation);
            if (!name(now).equals(name(then))) {
                changed.add(
                        new Change(execution.id(), started.call(), started.tool(), name(now), name(then), then.rule()));
            }
        }
    }
}
