package org.sallyport.web.api;

import java.util.Optional;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemType;

/**
 * Problems of requests that may have taken effect, or have, although the database does not answer. Their member {@code
 * outcome} says which of both, so that programs do not just repeat the request. {@code id} and {@code location} name
 * the execution or batch.
 */
public final class OutcomeProblems {
    private static final String OUTCOME = "outcome";
    private static final String LOCATION = "location";

    private OutcomeProblems() {}

    /** It is unknown whether the request took effect. */
    public static Problem unknown(String detail) {
        return Problem.of(ProblemType.UNAVAILABLE, detail, members -> members.put(OUTCOME, "unknown"));
    }

    /** It is unknown whether the execution is stored. */
    static Problem unknown(ExecutionId id) {
        return unknown("execution", id.toString(), path(id));
    }

    /** It is unknown whether the batch is stored. */
    static Problem unknown(BatchId id) {
        return unknown("batch", id.toString(), path(id));
    }

    private static Problem unknown(String kind, String id, String path) {
        return withResource(
                "the database does not answer, so it is unknown whether " + kind + " " + id + " is stored; get " + path
                        + " when it answers, or repeat the request with the same Idempotency-Key",
                "unknown",
                id,
                path);
    }

    /** The execution is stored, and the database does not answer now. */
    static Problem stored(ExecutionId id) {
        return stored("execution", id.toString(), path(id));
    }

    /** The batch is stored, and the database does not answer now. */
    static Problem stored(BatchId id) {
        return stored("batch", id.toString(), path(id));
    }

    /** A client that repeated the request without an idempotency key would run the script twice. */
    private static Problem stored(String kind, String id, String path) {
        return withResource(
                kind + " " + id + " is stored, but the database does not answer now; get " + path
                        + " instead of repeating the request",
                "stored",
                id,
                path);
    }

    private static Problem withResource(String detail, String outcome, String id, String path) {
        return Problem.of(
                ProblemType.UNAVAILABLE,
                detail,
                members -> members.put(OUTCOME, outcome).put("id", id).put(LOCATION, path));
    }

    private static String path(ExecutionId id) {
        return "/api/v1/executions/" + id;
    }

    private static String path(BatchId id) {
        return "/api/v1/batches/" + id;
    }

    /** Whether the request took effect, or may have. */
    public static boolean mayHaveTakenEffect(Problem problem) {
        return problem.members().has(OUTCOME);
    }

    /** The path of the execution or batch that is stored, or may be. */
    static Optional<String> location(Problem problem) {
        return Optional.ofNullable(problem.members().path(LOCATION).textValue());
    }
}
