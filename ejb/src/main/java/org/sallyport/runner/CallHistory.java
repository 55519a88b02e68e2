package org.sallyport.runner;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.CapabilityToolProvider;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ClaimedExecution;
import org.sallyport.policy.PolicyContext;
import org.sallyport.tool.ToolName;

/**
 * Records the tools called before each call of one execution, for policy rules that depend on earlier calls. Calls of
 * the other executions in its nesting tree count too, because their results may have reached this one. They are read
 * from the store only when such a rule applies, and never for an execution without a tree. Thread-safe.
 */
final class CallHistory {
    private final ClaimedExecution claim;
    private final EngineServices context;
    private final List<ToolName> calls = new ArrayList<>();
    /** Equal names are in memory once: scripts call few tools, but often. */
    private final Map<ToolName, ToolName> names = new HashMap<>();

    CallHistory(ClaimedExecution claim, EngineServices context) {
        this.claim = claim;
        this.context = context;
    }

    /** Records a call of the script. The caller reports every call, in order. */
    synchronized void recordCall(ToolName tool) {
        calls.add(names.computeIfAbsent(tool, name -> name));
    }

    private synchronized List<ToolName> callsBefore(long call) {
        return new ArrayList<>(calls.subList(0, (int) Math.min(call - 1, calls.size())));
    }

    /**
     * Returns the policy context of a call.
     *
     * @param standIns returns the fallback tools used by earlier calls
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

    /** Supplies the calls of the other executions in the tree; reads them once per call. */
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
