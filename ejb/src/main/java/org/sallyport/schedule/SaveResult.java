package org.sallyport.schedule;

/** Outcome of storing a schedule. */
public enum SaveResult {
    /** The schedule is stored. */
    STORED,
    /** Another schedule of the tenant has this name; nothing is stored. */
    NAME_TAKEN,
    /** The tenant has reached its maximum number of schedules; nothing is stored. */
    TOO_MANY,
    /** The schedule to replace does not exist; nothing is stored. */
    MISSING
}
