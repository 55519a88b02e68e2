package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.sallyport.auth.Caller;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.web.api.BatchFacade;
import org.sallyport.web.api.BatchFacade.BatchCounts;
import org.sallyport.web.api.BatchItemQuery;
import org.sallyport.web.api.JsonMembers;
import org.sallyport.web.async.LongPolls;
import org.sallyport.web.audit.AuditRecorder;

/** Shows batches to agents and waits for them without a thread. Thread-safe. */
@Dependent
public class McpBatches {
    static final String ID_ARGUMENT = "id";
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 100;
    /** An agent reads every character of an answer. */
    private static final int MAX_PAGE_BYTES = 50_000;

    private static final int MAX_VALUE_BYTES = 10_000;
    private static final int MAX_CURSOR_LENGTH = 200;

    private final BatchFacade facade;
    private final CompletionWaiter waiter;
    private final LongPolls longPolls;
    private final AuditRecorder auditRecorder;

    @Inject
    public McpBatches(BatchFacade batches, CompletionWaiter waiting, LongPolls waits, AuditRecorder deeds) {
        this.facade = batches;
        this.waiter = waiting;
        this.longPolls = waits;
        this.auditRecorder = deeds;
    }

    /**
     * The id of the caller's batch that the arguments name.
     *
     * @throws org.sallyport.web.ProblemException if there is none
     */
    String existingId(Caller caller, JsonMembers arguments) {
        String id = arguments
                .text(ID_ARGUMENT, ExecutionStatus.MAX_ID_LENGTH)
                .orElseThrow(() -> arguments.invalidMember(ID_ARGUMENT, "is missing: the id of the batch"));
        facade.counts(caller, id);
        return id;
    }

    /** The page of results that the arguments ask for. */
    static BatchItemQuery page(JsonMembers arguments) {
        return new BatchItemQuery(
                arguments.flag("unsuccessful").orElse(false),
                true,
                (int) McpExecutions.longInRange(arguments, "limit", DEFAULT_PAGE_SIZE, 1, MAX_PAGE_SIZE),
                MAX_PAGE_BYTES,
                MAX_VALUE_BYTES,
                arguments.text("cursor", MAX_CURSOR_LENGTH).orElse(null));
    }

    /**
     * Reports the progress of the batch until it has ended, {@code millis} have passed, or the client no longer waits.
     *
     * @throws org.sallyport.web.ProblemException if too many requests wait
     */
    CompletionStage<Void> follow(ToolCallContext context, String id, long millis) {
        return millis == 0
                ? CompletableFuture.completedFuture(null)
                : longPolls.start(
                        context.caller(), () -> newReporter(context, id, millis).report());
    }

    /** Same as {@link #follow}. If too many requests wait, it does not wait. */
    CompletionStage<Void> followIfPossible(ToolCallContext context, String id, long millis) {
        return longPolls
                .tryStart(
                        context.caller(), () -> newReporter(context, id, millis).report())
                .orElseGet(() -> CompletableFuture.completedFuture(null));
    }

    private BatchProgressReporter newReporter(ToolCallContext context, String id, long millis) {
        return new BatchProgressReporter(
                waiter::delay,
                () -> facade.counts(context.caller(), id),
                now -> sendProgress(context, id, now),
                context::isClosed,
                millis);
    }

    private static void sendProgress(ToolCallContext context, String id, BatchCounts now) {
        if (context.acceptsProgress()) {
            context.sendProgress(
                    now.ended(),
                    now.total(),
                    "batch " + id + ": " + now.ended() + " of " + now.total() + " items have ended",
                    Map.of(ProgressMeta.BATCH, id));
        }
    }

    /** The batch with a page of its results. */
    ObjectNode show(Caller caller, String id, BatchItemQuery query) {
        // Before the items, so that the items of a batch that is shown as ended have ended.
        ObjectNode batch = BatchView.batch(facade.show(caller, id));
        ObjectNode page = facade.items(caller, id, query);
        batch.set("results", page.path("items"));
        batch.set("next", page.path("next"));
        return batch;
    }

    /** Cancels the batch and returns it. */
    ObjectNode cancel(ToolCallContext context, String id, Optional<String> reason) {
        return BatchView.batch(auditRecorder.auditMcpAction(
                context.caller(),
                context.address(),
                "batch.cancel",
                id,
                reason.orElse(""),
                () -> facade.cancel(context.caller(), id, reason)));
    }
}
