package org.sallyport.runner;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.sallyport.catalog.CapabilityTools;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.Claim;
import org.sallyport.policy.Situation;
import org.sallyport.tool.ToolName;

/**
 * What was called before each call of one execution, for rules that look back. What the others called of the tree in which it is nested counts as seen, for
 * what one of them read may have come to it: the store is asked for that by such rules alone, and not by an execution that stands for itself. Thread-safe.
 */
final class CallsBefore {
    private final Claim claim;
    private final RunContext context;
    private final List<ToolName> made = new ArrayList<>();

    CallsBefore(Claim claim, RunContext context) {
        this.claim = claim;
        this.context = context;
    }

    /** The script makes a call; told of all, in order. */
    synchronized void made(ToolName tool) {
        made.add(tool);
    }

    private synchronized List<ToolName> before(long call) {
        return new ArrayList<>(made.subList(0, (int) Math.min(call - 1, made.size())));
    }

    /**
     * In what the call of that ordinal is made.
     *
     * @param standIns gives what was called in the place of others before
     */
    Situation situation(long call, Supplier<List<ToolName>> standIns) {
        Supplier<List<ToolName>> own = () -> {
            List<ToolName> all = before(call);
            all.addAll(standIns.get());
            return all;
        };
        return new Situation(claim.tenant(), own, context.clock().instant())
                .running(claim.capability().map(CapabilityRef::toString))
                .around(new Around(call));
    }

    /** What others called, asked once for one call. */
    private final class Around implements Supplier<List<ToolName>> {
        private final long call;
        private @Nullable List<ToolName> asked;

        Around(long call) {
            this.call = call;
        }

        @Override
        public List<ToolName> get() {
            List<ToolName> known = asked;
            if (known == null) {
                boolean alone = claim.parent().isEmpty()
                        && claim.rerun().isEmpty()
                        && before(call).stream().noneMatch(this::mayNest);
                known = alone
                        ? List.of()
                        : context.calledAround().apply(claim.fence().id());
                asked = known;
            }
            return known;
        }

        private boolean mayNest(ToolName tool) {
            return context.gate().spelt(tool).backend().equals(CapabilityTools.BACKEND);
        }
    }
}
