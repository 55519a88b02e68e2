package org.sallyport.bridge;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.journal.Journal;
import org.sallyport.journal.TraceEvent;
import org.sallyport.policy.Decision;
import org.sallyport.policy.Policy;
import org.sallyport.policy.Situation;
import org.sallyport.tool.ToolName;

/** Judges calls that were made by rules that are not in force. */
public final class PolicyTrial {
    private static final int PAGE = 500;

    private final ExecutionStore executions;
    private final Journal journal;
    private final Catalog catalog;

    public PolicyTrial(ExecutionStore executions, Journal journal, Catalog catalog) {
        this.executions = executions;
        this.journal = journal;
        this.catalog = catalog;
    }

    /**
     * What came out.
     *
     * @param executions how many were looked at
     * @param calls how many calls these made of tools that there are
     * @param changed the calls that would be judged differently
     */
    public record Result(int executions, int calls, List<Change> changed) {
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
        List<Change> changed = new ArrayList<>();
        int seen = 0;
        int calls = 0;
        Optional<ExecutionId> before = Optional.empty();
        while (seen < most) {
            List<ExecutionSummary> page =
                    executions.list(tenant, new ExecutionFilter(Set.of()), before, Math.min(PAGE, most - seen));
            for (ExecutionSummary each : page) {
                calls += judge(tenant, each.id(), inForce, proposed, changed);
            }
            seen += page.size();
            if (page.isEmpty()) {
                break;
            }
            before = Optional.of(page.get(page.size() - 1).id());
        }
        return new Result(seen, calls, changed);
    }

    private int judge(String tenant, ExecutionId id, Policy inForce, Policy proposed, List<Change> changed) {
        List<ToolName> before = new ArrayList<>();
        int calls = 0;
        for (TraceEvent event : journal.recording(id)) {
            if (event instanceof TraceEvent.ToolStarted started) {
                Optional<CatalogTool> tool = catalog.find(started.tool());
                Situation situation = new Situation(tenant, () -> before, started.at());
                if (tool.isPresent()) {
                    calls++;
                    Decision now = inForce.decide(tool.get().spec(), started.arguments(), situation);
                    Decision then = proposed.decide(tool.get().spec(), started.arguments(), situation);
                    if (!name(now).equals(name(then))) {
                        changed.add(new Change(id, started.call(), started.tool(), name(now), name(then), then.rule()));
                    }
                }
                before.add(started.tool());
            }
        }
        return calls;
    }
}
