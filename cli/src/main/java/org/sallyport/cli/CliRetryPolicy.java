package org.sallyport.cli;

import java.time.Duration;
import java.util.function.Supplier;
import org.sallyport.cli.api.ApiProblemException;
import org.sallyport.cli.api.ServiceUnreachableException;

/** Limits the retries of requests to a service that does not answer. */
final class CliRetryPolicy {
    private static final int MAX_CONSECUTIVE_FAILURES = 20;
    private static final Duration RETRY_DELAY = Duration.ofMillis(500);

    private int consecutiveFailures;

    /** Sends an idempotent request, and repeats it while a retry may help. Returns the response. */
    static <T> T retry(Supplier<T> question) {
        for (CliRetryPolicy retryPolicy = new CliRetryPolicy(); ; retryPolicy.pauseBeforeRetry()) {
            try {
                return question.get();
            } catch (ServiceUnreachableException e) {
                retryPolicy.throwUnlessRetryable(e);
            } catch (ApiProblemException e) {
                retryPolicy.throwUnlessRetryable(e);
            }
        }
    }

    /** Resets the count of failures after a response. */
    void reset() {
        consecutiveFailures = 0;
    }

    /** Throws the exception unless a retry may help. */
    void throwUnlessRetryable(ServiceUnreachableException e) {
        consecutiveFailures++;
        if (consecutiveFailures >= MAX_CONSECUTIVE_FAILURES
                || Thread.currentThread().isInterrupted()) {
            throw e;
        }
    }

    /** Throws the exception unless a retry may help. */
    void throwUnlessRetryable(ApiProblemException e) {
        consecutiveFailures++;
        if (consecutiveFailures >= MAX_CONSECUTIVE_FAILURES || e.problem().status() < 500) {
            throw e;
        }
    }

    void pauseBeforeRetry() {
        try {
            Thread.sleep(RETRY_DELAY.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
