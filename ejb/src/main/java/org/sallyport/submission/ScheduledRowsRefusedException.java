package org.sallyport.submission;

/** No batch can be made of the rows of a schedule. The message says why, for the owner of the schedule. */
public final class ScheduledRowsRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ScheduledRowsRefusedException(String message) {
        super(message);
    }
}
