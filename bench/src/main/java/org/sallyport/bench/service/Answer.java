package org.sallyport.bench.service;

/**
 * An answer to a submission that may be refused.
 *
 * @param saysWhen whether it tells when to come again
 */
public record Answer(Reply reply, boolean saysWhen) {
    private static final int OK = 200;
    private static final int ACCEPTED = 202;

    /** Whether there is an execution now, ended or not. */
    public boolean accepted() {
        return reply.status() == OK || reply.status() == ACCEPTED;
    }
}
