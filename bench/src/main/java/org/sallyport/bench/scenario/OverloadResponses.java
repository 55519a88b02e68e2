package org.sallyport.bench.scenario;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import org.sallyport.bench.measure.WrongResultException;
import org.sallyport.bench.service.StateCounts;
import org.sallyport.bench.service.SubmissionResponse;

/** Counts and validates the responses during an overload. Thread-safe. */
final class OverloadResponses {
    static final int ACCEPTED = 202;
    static final int TOO_MANY_REQUESTS = 429;
    static final int UNAVAILABLE = 503;

    private final Map<Integer, LongAdder> counts = new ConcurrentHashMap<>();

    /** Counts an accepted response, or a rejection with a retry time; any other response is wrong. */
    void recordResponse(SubmissionResponse answer) throws WrongResultException {
        int status = answer.response().status();
        boolean refused = status == TOO_MANY_REQUESTS || status == UNAVAILABLE;
        if (!answer.isAccepted() && !refused) {
            throw new WrongResultException("a submission was answered with status " + status + ": "
                    + answer.response().body());
        }
        if (refused && !answer.hasRetryAfter()) {
            throw new WrongResultException("status " + status + " without Retry-After: "
                    + answer.response().body());
        }
        counts.computeIfAbsent(status, unknown -> new LongAdder()).increment();
    }

    /** Returns the number of responses with a status. */
    long count(int status) {
        LongAdder count = counts.get(status);
        return count == null ? 0 : count.sum();
    }

    /**
     * Checks that all accepted executions have completed, and that there are no others. A submission that was answered
     * 503 may or may not be stored: the commit may have succeeded although its answer was lost.
     */
    void checkAccepted(StateCounts census, long accepted) throws WrongResultException {
        long completed = census.count("COMPLETED");
        if (completed != census.total() || completed < accepted || completed > accepted + count(UNAVAILABLE)) {
            throw new WrongResultException("the service accepted " + accepted + " executions, answered 503 to "
                    + count(UNAVAILABLE) + " submissions, and lists " + census.byState());
        }
    }
}
