package org.sallyport.it.chaos;

import java.net.http.HttpRequest;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;

/**
 * A caller of nodes that may die: sends each request until it gets an answer. Each request must be safe to repeat.
 * Thread-safe.
 */
final class RetryingClient {
    private static final int PAUSE_MILLIS = 300;
    private static final int NOT_FOUND = 404;
    private static final int CONFLICT = 409;
    private static final int SERVER_ERROR = 500;

    private final Supplier<RestClient> api;
    private final ConcurrentLinkedQueue<String> failures = new ConcurrentLinkedQueue<>();
    private final AtomicInteger resent = new AtomicInteger();
    /** What happened last to each request that has no accepted answer yet. */
    private final ConcurrentHashMap<String, String> unanswered = new ConcurrentHashMap<>();

    /** @param api the client for the next try */
    RetryingClient(Supplier<RestClient> api) {
        this.api = api;
    }

    /**
     * Sends a request until it is answered. Returns the answer if it has one of the statuses; otherwise records a
     * failure and returns empty.
     */
    Optional<RestResponse> send(String what, Function<RestClient, HttpRequest.Builder> request, int... statuses)
            throws InterruptedException {
        while (true) {
            try {
                RestClient client = api.get();
                RestResponse answer = client.send(request.apply(client));
                unanswered.put(what, answer.toString());
                if (!isTransient(answer) && IntStream.of(statuses).anyMatch(status -> status == answer.status())) {
                    unanswered.remove(what);
                    return Optional.of(answer);
                } else if (!isTransient(answer) && answer.status() < SERVER_ERROR && answer.status() != CONFLICT) {
                    unanswered.remove(what);
                    failures.add(what + " was answered " + answer);
                    return Optional.empty();
                }
            } catch (AssertionError noAnswer) {
                // The node is dead, or died before it could answer.
                unanswered.put(what, String.valueOf(noAnswer.getMessage()));
            }
            resent.incrementAndGet();
            Thread.sleep(PAUSE_MILLIS);
        }
    }

    /** The server answers 404 without a problem, or an empty 500, for an application that it is still deploying. */
    private static boolean isTransient(RestResponse answer) {
        return answer.status() == NOT_FOUND && answer.problemType().isEmpty();
    }

    /** The requests that are repeated at this time, with what happened last. */
    Map<String, String> unanswered() {
        return Map.copyOf(unanswered);
    }

    /** Records a failure. */
    void addFailure(String failure) {
        failures.add(failure);
    }

    /** The client for a request that is sent once. */
    RestClient api() {
        return api.get();
    }

    /** Unexpected answers and other failures. */
    List<String> failures() {
        return List.copyOf(failures);
    }

    /** Number of requests that had to be sent again. */
    int resentCount() {
        return resent.get();
    }
}
