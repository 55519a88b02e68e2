package org.sallyport.web.mcp;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Inject;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.sallyport.access.Caller;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.api.ExecutionCalls;
import org.sallyport.web.api.Members;
import org.sallyport.web.audit.Deeds;

/**
 * What agents begin and wait for, without a thread. It goes on when the client goes away, and ends when he cancels; its id is told
 * whatever happens to the database after it was accepted. Thread-safe.
 */
@Dependent
public class Runs {
    static final String WAIT = "waitSeconds";
    static final String KEY = "idempotencyKey";
    private static final long USUAL_WAIT_SECONDS = 30;
    private static final int LONGEST_KEY = 255;

    private final ExecutionCalls calls;
    private final ScriptWatches watches;
    private final Insistence insistence;
    private final Deeds deeds;

    @Inject
    public Runs(ExecutionCalls calls, ScriptWatches watches, Insistence insistence, Deeds deeds) {
        this.calls = calls;
        this.watches = watches;
        this.insistence = insistence;
        this.deeds = deeds;
    }

    /** How the arguments of a tool are submitted: as the body of a request, with a key against double submission. */
    interface Acceptance {
        CompletionStage<ExecutionId> accept(Caller caller, ObjectNode body, Optional<String> idempotencyKey);
    }

    /** Stores what the arguments describe; the same members as REST has, and a few of our own. */
    static CompletionStage<ExecutionId> submit(Dialog dialog, Acceptance acceptance) {
        ObjectNode body = dialog.arguments().deepCopy();
        Optional<String> key = new Members(body).text(KEY, LONGEST_KEY);
        body.remove(List.of(WAIT, KEY));
        return acceptance.accept(dialog.caller(), body, key);
    }

    /** The same, and waits for it. */
    CompletionStage<Outcome> run(Dialog dialog, Acceptance acceptance, Function<ExecutionId, Outcome> shown) {
        Members arguments = new Members(dialog.arguments());
        long most = calls.longestWaitSeconds();
        long seconds = arguments.whole(WAIT).orElse(Math.min(USUAL_WAIT_SECONDS, most));
        if (seconds < 0 || seconds > most) {
            throw arguments.fault(WAIT, "must be from 0 to " + most);
        }
        Caller caller = dialog.caller();
        return submit(dialog, acceptance).thenCompose(id -> {
            dialog.onCancel(() -> insistence.insist(() -> cancel(dialog, id), () -> {}));
            dialog.tell("execution " + id + " is stored and will run", Map.of(Told.EXECUTION, id.toString()));
            return watches.followIfPossible(dialog, id, seconds * 1_000)
                    .thenApply(nothing -> told(id, () -> shown.apply(id)));
        });
    }

    /** What can be said of an execution, its id at least. */
    static Outcome told(ExecutionId id, Supplier<Outcome> shown) {
        try {
            return shown.get();
        } catch (StoreUnavailableException e) {
            Outcome unknown = Outcome.of(Problem.of(ProblemType.UNAVAILABLE, "the database does not answer"));
            unknown.content()
                    .put("id", id.toString())
                    .put("note", "it was accepted and goes on; ask execution_status with its id, shortly");
            return unknown;
        }
    }

    /** The execution as agents see it. */
    Outcome execution(Caller caller, ExecutionId id) {
        ObjectNode shown = Shown.execution(calls.show(caller, id, 0, 0));
        watches.asked(caller, id, shown);
        return new Outcome(shown, Shown.failed(shown));
    }

    private void cancel(Dialog dialog, ExecutionId id) {
        try {
            deeds.byAgent(
                    dialog.caller(),
                    dialog.address(),
                    "execution.cancel",
                    id.toString(),
                    () -> calls.cancel(dialog.caller(), id));
        } catch (ProblemException e) {
            // It has ended just before.
            System.getLogger(Runs.class.getName()).log(System.Logger.Level.DEBUG, "cancelling " + id, e);
        }
    }
}
