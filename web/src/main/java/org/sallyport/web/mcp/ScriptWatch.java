package org.sallyport.web.mcp;

import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.sallyport.approval.Approval;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.ExecutionStore;
import org.sallyport.execution.Extent;
import org.sallyport.execution.OutputKind;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.execution.Waiting;
import org.sallyport.web.VisibleText;

/** One agent's look at one execution: what it prints and asks is told as it comes. Used by one thread at a time. */
final class ScriptWatch {
    private static final int OUTPUT_CHARS = 8_192;
    private static final long FIRST_PAUSE_MILLIS = 50;
    private static final long LONGEST_PAUSE_MILLIS = 1_000;

    private final ExecutionStore store;
    private final Waiting waiting;
    private final ApprovalQuestions questions;
    private final Dialog dialog;
    private final ExecutionId id;
    private final long end;
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private final Set<UUID> told = new HashSet<>();
    private long pauseMillis = FIRST_PAUSE_MILLIS;
    private long output;
    private long error;
    private long seen = -1;

    ScriptWatch(
            ExecutionStore store,
            Waiting waiting,
            ApprovalQuestions questions,
            Dialog dialog,
            ExecutionId id,
            long millis) {
        this.store = store;
        this.waiting = waiting;
        this.questions = questions;
        this.dialog = dialog;
        this.id = id;
        this.end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    CompletionStage<Void> after(long outputOffset, long errorOffset) {
        output = outputOffset;
        error = errorOffset;
        rest(0);
        return done;
    }

    private void rest(long millis) {
        waiting.endOr(id, millis).thenRun(this::look);
    }

    private void look() {
        try {
            Optional<Extent> found = store.extent(dialog.caller().tenant(), id);
            long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
            boolean news = found.isPresent() && tell(found.get());
            if (found.isEmpty() || found.get().state().terminal() || left <= 0 || dialog.isOver()) {
                done.complete(null);
                return;
            }
            pauseMillis = news ? FIRST_PAUSE_MILLIS : Math.min(LONGEST_PAUSE_MILLIS, pauseMillis * 3 / 2);
            rest(Math.min(pauseMillis, left));
        } catch (StoreUnavailableException e) {
            restUntilItAnswers();
        } catch (RuntimeException e) {
            done.completeExceptionally(e);
        }
    }

    private void restUntilItAnswers() {
        long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
        if (left <= 0 || dialog.isOver()) {
            done.complete(null);
        } else {
            rest(Math.min(LONGEST_PAUSE_MILLIS, left));
        }
    }

    /** Whether there was something to tell. */
    private boolean tell(Extent now) {
        long before = output + error;
        output = tell(OutputKind.OUT, "output", output, now.outputLength());
        error = tell(OutputKind.ERR, "error-output", error, now.errorOutputLength());
        if (now.state() == ExecutionState.WAITING && now.lastSeq() != seen) {
            seen = now.lastSeq();
            questions.pending(dialog.caller(), id).forEach(this::tell);
        }
        return output + error > before;
    }

    private long tell(OutputKind kind, String stream, long from, long length) {
        long at = from;
        while (at < length && dialog.listens()) {
            String text = store.output(id, kind, at, OUTPUT_CHARS);
            if (text.isEmpty()) {
                return at;
            }
            dialog.tell(text, Map.of(Told.EXECUTION, id.toString(), Told.STREAM, stream, Told.OFFSET, at));
            at += text.length();
        }
        return at;
    }

    private void tell(Approval approval) {
        if (told.add(approval.id())) {
            dialog.tell(
                    "waits for a person: approval " + approval.id() + " of "
                            + VisibleText.line(approval.question().tool().toString()) + ", because "
                            + VisibleText.line(approval.question().terms().reason()),
                    Map.of(
                            Told.EXECUTION,
                            id.toString(),
                            Told.APPROVAL,
                            approval.id().toString()));
            questions.ask(dialog, approval);
        }
    }
}
