package org.sallyport.bench.service;

/**
 * Response to a submission that the service may reject.
 *
 * @param hasRetryAfter whether the response has the header {@code Retry-After}
 */
public record SubmissionResponse(TimedResponse response, boolean hasRetryAfter) {
    private static final int OK = 200;
    private static final int ACCEPTED = 202;

    /** Returns whether the service has stored an execution, ended or not. */
    public boolean isAccepted() {
        return response.status() == OK || response.status() == ACCEPTED;
    }
}
