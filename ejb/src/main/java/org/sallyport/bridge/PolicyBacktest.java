package org.sallyport.bridge;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.catalog.CatalogTool;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionSummary;
import org.sallyport.execution.NestedExecutionStore;
import org.sallyport.journal.Journal;
import org.sallyport.journal.OmittedArguments;
import org.sallyport.journal.TraceEvent;
import org.sallyport.journal.TracePager;
import org.sallyport.policy.Policy;
import org.sallyport.policy.PolicyContext;
import org.sallyport.policy.PolicyDecision;
import org.sallyport.tool.ToolName;

/** Evaluates past tool calls against a policy that is not in force, and reports the decisions that would differ. */
public final class PolicyBacktest {
    private static final int PAGE_SIZE = 500;
    private static final int MAX_CALLS = 200_000;
    private static final int MAX_CHANGES = 1_000;

    private final ExecutionStore executions;
    private final Journal journal;
    private final ToolCallAuthorizer authorizer;
    private final NestedExecutionStore nested;

    /** @param gate finds the tools and their canonical names */
    public PolicyBacktest(
            ExecutionStore executions, Journal journal, ToolCallAuthorizer gate, NestedExecutionStore nested) {
        this.nested = nested;
        this.executions = executions;
        this.journal = journal;
        this.authorizer = gate;
    }

    /**
     * Result of a backtest.
     *
     * @param executions number of executions that were read
     * @param calls number of their calls whose tool still exists and whose arguments are stored
     * @param changed the calls that would get a different decision
     * @param complete false if the limit of calls or of reported changes was reached
     */
    public record BacktestResult(int executions, int calls, List<DecisionChange> changed, boolean complete) {
        public BacktestResult {
            changed = List.copyOf(changed);
        }
    }

    /**
     * A call that would get a different decision.
     *
     * @param currentDecision the decision of the policy in force
     * @param proposedDecision the decision of the proposed policy
     * @param proposedRule the deciding rule of the proposed policy
     */
    public record DecisionChange(
            ExecutionId execution,
            long call,
            ToolName tool,
            String currentDecision,
            String proposedDecision,
            String proposedRule) {}

    /** Returns {@code allow}, {@code deny}, {@code ask} or {@code mock}. */
    public static String decisionName(PolicyDecision decision) {
        if (decision instanceof PolicyDecision.AllowDecision) {
            return "allow";
        } else if (decision instanceof PolicyDecision.DenyDecision) {
            return "deny";
        }
        return decision instanceof PolicyDecision.AskDecision ? "ask" : "mock";
    }

    /** Compares two policies on the tenant's newest executions, at most {@code maxExecutions} of them. */
    public BacktestResult run(String tenant, int maxExecutions, Policy inForce, Policy proposed) {
        PolicyComparison comparison = new PolicyComparison(tenant, inForce, proposed);
        int seen = 0;
        Optional<ExecutionId> before = Optional.empty();
        while (seen < maxExecutions) {
            List<ExecutionSummary> page = executions
                    .list(tenant, new ExecutionFilter(Set.of()), before, Math.min(PAGE_SIZE, maxExecutions - seen))
                    .items();
            for (ExecutionSummary each : page) {
                comparison.compareCalls(each);
                seen++;
                if (comparison.isFull()) {
                    return comparison.toResult(seen);
                }
            }
            if (page.isEmpty()) {
                break;
            }
            before = Optional.of(page.get(page.size() - 1).id());
        }
        return comparison.toResult(seen);
    }

    /**
     * Tools that the other executions of the tree have called by now, loaded once per execution. The time of those
     * calls is unknown, so calls made later are included.
     */
    private final class RelatedToolCalls implements Supplier<List<ToolName>> {
        private final ExecutionSummary execution;
        private final List<ToolName> before;
        private @Nullable List<ToolName> loaded;

        RelatedToolCalls(ExecutionSummary execution, List<ToolName> before) {
            this.execution = execution;
            this.before = before;
        }

        @Override
        public List<ToolName> get() {
            if (execution.parent().isEmpty()
                    && execution.rerunOf().isEmpty()
                    && before.stream()
                            .noneMatch(tool ->
                                    authorizer.canonicalName(tool).backend().equals(CapabilityToolProvider.BACKEND))) {
                return List.of();
            }
            List<ToolName> known = loaded;
            if (known == null) {
                known = nested.toolsCalledInTree(execution.id());
                loaded = known;
            }
            return known;
        }
    }

    /** Compares the decisions of two policies on the same calls. */
    private final class PolicyComparison {
        private final String tenant;
        private final Policy inForce;
        private final Policy proposed;
        private final List<DecisionChange> changed = new ArrayList<>();
        /** Each tool is looked up once, because a capability costs a query. */
        private final Map<ToolName, Optional<CatalogTool>> tools = new HashMap<>();

        private int calls;

        PolicyComparison(String tenant, Policy inForce, Policy proposed) {
            this.tenant = tenant;
            this.inForce = inForce;
            this.proposed = proposed;
        }

        boolean isFull() {
            return calls >= MAX_CALLS || changed.size() >= MAX_CHANGES;
        }

        BacktestResult toResult(int seen) {
            return new BacktestResult(seen, calls, changed, !isFull());
        }

        void compareCalls(ExecutionSummary execution) {
            ExecutionId id = execution.id();
            List<ToolName> before = new ArrayList<>();
            RelatedToolCalls around = new RelatedToolCalls(execution, before);
            TracePager pager = new TracePager(journal::readTrace, id);
            for (List<TraceEvent> page = pager.nextPage(); !page.isEmpty() && !isFull(); page = pager.nextPage()) {
                for (TraceEvent event : page) {
                    if (event instanceof TraceEvent.ToolStarted started) {
                        compareCall(execution, started, before, around);
                        before.add(started.tool());
                    } else if (event instanceof TraceEvent.PolicyDecided judged
                            && judged.decision().equals(TraceEvent.PolicyDecided.FALLBACK)) {
                        before.add(judged.tool());
                    }
                }
            }
        }

        private void compareCall(
                ExecutionSummary execution,
                TraceEvent.ToolStarted started,
                List<ToolName> before,
                Supplier<List<ToolName>> around) {
            Optional<CatalogTool> tool =
                    tools.computeIfAbsent(started.tool(), name -> authorizer.findTool(name, tenant));
            if (tool.isEmpty() || OmittedArguments.isForm(started.arguments())) {
                return;
            }
            calls++;
            PolicyContext situation = new PolicyContext(tenant, () -> before, started.at())
                    .withCapability(execution.capability().map(CapabilityRef::toString))
                    .treeCalls(around)
                    .canonicalName(authorizer::canonicalName);
            PolicyDecision now = inForce.decide(tool.get().spec(), started.arguments(), situation);
            PolicyDecision then = proposed.decide(tool.get().spec(), started.arguments(), situation);
            if (!decisionName(now).equals(decisionName(then))) {
                changed.add(new DecisionChange(
                        execution.id(),
                        started.call(),
                        started.tool(),
                        decisionName(now),
                        decisionName(then),
                        then.rule()));
            }
        }
    }
}
