package org.sallyport.schedule;

/** Outcome of an attempt to store the rows of a schedule. */
public enum PutRowsResult {
    /** The rows are stored. */
    STORED,
    /** The schedule was changed or deleted since it was read; nothing is stored. */
    CHANGED,
    /** The files of the tenant would have too many bytes together; nothing is stored. */
    TOO_MANY_BYTES
}
