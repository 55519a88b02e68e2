package org.sallyport.web.mcp;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.sallyport.approval.Approval;
import org.sallyport.execution.CompletionWaiter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.ExecutionVersion;
import org.sallyport.execution.OutputChunk;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.web.ControlCharacterEscaper;
import org.sallyport.web.api.OutputPieceMapper;

/**
 * Reports one execution to one agent: its output and its pending approvals, as they appear. Used by one thread at a
 * time.
 */
final class ProgressReporter {
    private static final int MAX_OUTPUT_CHARS = 8_192;
    private static final long MIN_PAUSE_MILLIS = 50;
    private static final long MAX_PAUSE_MILLIS = 1_000;

    private final ExecutionStore store;
    private final CompletionWaiter waiter;
    private final ApprovalElicitor elicitor;
    private final ToolCallContext context;
    private final ExecutionId id;
    private final long deadlineNanos;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Set<UUID> reportedApprovals = new HashSet<>();
    private long pauseMillis = MIN_PAUSE_MILLIS;
    private long output;
    private long error;
    private long lastSeenSeq = -1;

    ProgressReporter(
            ExecutionStore store,
            CompletionWaiter waiting,
            ApprovalElicitor questions,
            ToolCallContext dialog,
            ExecutionId id,
            long millis) {
        this.store = store;
        this.waiter = waiting;
        this.elicitor = questions;
        this.context = dialog;
        this.id = id;
        this.deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    CompletionStage<Void> reportFrom(long outputOffset, long errorOffset) {
        output = outputOffset;
        error = errorOffset;
        scheduleNextPoll(0);
        return done;
    }

    private void scheduleNextPoll(long millis) {
        waiter.awaitLocalEnd(id, millis).thenRun(this::poll);
    }

    private void poll() {
        try {
            Optional<ExecutionVersion> found =
                    store.pollVersion(context.caller().tenant(), id);
            long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
            boolean news = found.isPresent() && report(found.get());
            if (found.isEmpty() || found.get().state().isTerminal() || left <= 0 || context.isClosed()) {
                done.complete(null);
                return;
            }
            pauseMillis = news ? MIN_PAUSE_MILLIS : Math.min(MAX_PAUSE_MILLIS, pauseMillis * 3 / 2);
            scheduleNextPoll(Math.min(pauseMillis, left));
        } catch (StoreUnavailableException e) {
            retryWhileUnavailable();
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
        }
    }

    private void retryWhileUnavailable() {
        long left = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
        if (left <= 0 || context.isClosed()) {
            done.complete(null);
        } else {
            scheduleNextPoll(Math.min(MAX_PAUSE_MILLIS, left));
        }
    }

    /** Sends the news to the client; returns whether there was new output. */
    private boolean report(ExecutionVersion now) {
        long before = output + error;
        while ((output < now.outputLength() || error < now.errorOutputLength()) && context.acceptsProgress()) {
            List<OutputChunk> pieces = store.readOutputInOrder(id, output, error, MAX_OUTPUT_CHARS);
            if (pieces.isEmpty()) {
                break;
            }
            // Notifications of short pieces are much longer than their text.
            OutputPieceMapper.joinAdjacent(pieces).stream()
                    .takeWhile(piece -> context.acceptsProgress())
                    .forEach(this::report);
        }
        if (now.state() == ExecutionState.WAITING && now.lastSeq() != lastSeenSeq) {
            lastSeenSeq = now.lastSeq();
            elicitor.pending(context.caller(), id).forEach(this::report);
        }
        return output + error > before;
    }

    private void report(OutputChunk piece) {
        context.sendProgress(
                piece.text(),
                Map.of(
                        ProgressMeta.EXECUTION,
                        id.toString(),
                        ProgressMeta.STREAM,
                        OutputPieceMapper.stream(piece.kind()),
                        ProgressMeta.OFFSET,
                        piece.offset(),
                        ProgressMeta.SEQUENCE,
                        piece.sequence(),
                        ProgressMeta.AT,
                        piece.at().toString()));
        if (piece.kind() == OutputKind.OUT) {
            output = piece.end();
        } else {
            error = piece.end();
        }
    }

    private void report(Approval approval) {
        if (reportedApprovals.add(approval.id())) {
            context.sendProgress(
                    "waits for a person: approval " + approval.id() + " of "
                            + ControlCharacterEscaper.escape(
                                    approval.request().tool().toString()) + ", because "
                            + ControlCharacterEscaper.escape(
                                    approval.request().terms().reason()),
                    Map.of(
                            ProgressMeta.EXECUTION,
                            id.toString(),
                            ProgressMeta.APPROVAL,
                            approval.id().toString()));
            elicitor.elicit(context, approval);
        }
    }
}
