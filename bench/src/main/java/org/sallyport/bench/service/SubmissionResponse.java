package org.sallyport.bench.service;

/**
 * An answer to a submission that may be refused.
 *
 * @param hasRetryAfter whether it tells when to come again
 */
public record SubmissionResponse(TimedResponse response, boolean hasRetryAfter) {
    private static final int OK = 200;
    private static final int ACCEPTED = 202;

    /** Whether there is an execution now, ended or not. */
    public boolean isAccepted() {
        return response.status() == OK || response.status() == ACCEPTED;
    }
}
