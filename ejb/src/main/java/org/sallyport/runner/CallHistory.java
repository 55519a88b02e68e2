package org.sallyport.runner;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.policy.PolicyContext;
import org.sallyport.tool.ToolName;

/**
 * What was called before each call of one execution, for rules that look back. What the others called of the tree in which it is nested counts as seen, for
 * what one of them read may have come to it: the store is asked for that by such rules alone, and not by an execution that stands for itself. Thread-safe.
 */
final class CallHistory {
    private final ClaimedExecution claim;
    private final EngineServices context;
    private final List<ToolName> calls = new ArrayList<>();

    CallHistory(ClaimedExecution claim, EngineServices context) {
        this.claim = claim;
        this.context = context;
    }

    /** The script makes a call; told of all, in order. */
    synchronized void recordCall(ToolName tool) {
        calls.add(tool);
    }

    private synchronized List<ToolName> callsBefore(long call) {
        return new ArrayList<>(calls.subList(0, (int) Math.min(call - 1, calls.size())));
    }

    /**
     * In what the call of that ordinal is made.
     *
     * @param standIns gives what was called in the place of others before
     */
    PolicyContext policyContext(long call, Supplier<List<ToolName>> standIns) {
        Supplier<List<ToolName>> own = () -> {
            List<ToolName> all = callsBefore(call);
            all.addAll(standIns.get());
            return all;
        };
        return new PolicyContext(claim.tenant(), own, context.clock().instant())
                .withCapability(claim.capability().map(CapabilityRef::toString))
                .treeCalls(new TreeCallSupplier(call));
    }

    /** What others called, asked once for one call. */
    private final class TreeCallSupplier implements Supplier<List<ToolName>> {
        private final long call;
        private @Nullable List<ToolName> cached;

        TreeCallSupplier(long call) {
            this.call = call;
        }

        @Override
        public List<ToolName> get() {
            List<ToolName> known = cached;
            if (known == null) {
                boolean alone = claim.parent().isEmpty()
                        && claim.rerun().isEmpty()
                        && callsBefore(call).stream().noneMatch(this::mayNest);
                known = alone
                        ? List.of()
                        : context.callsInTree().apply(claim.fence().id());
                cached = known;
            }
            return known;
        }

        private boolean mayNest(ToolName tool) {
            return context.authorizer().canonicalName(tool).backend().equals(CapabilityToolProvider.BACKEND);
        }
    }
}
