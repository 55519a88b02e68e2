package org.sallyport.store.jpa;

/** Rolls back what was written for a schedule that was changed meanwhile, or whose time was handled. */
final class ScheduleChangedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    ScheduleChangedException() {
        super("the schedule was changed, or its time was handled", null, false, false);
    }
}
