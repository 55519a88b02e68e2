package org.sallyport.schedule;

/** What became of a schedule that somebody wrote. */
public enum SaveResult {
    /** It is stored. */
    STORED,
    /** The tenant has another of this name; nothing is stored. */
    NAME_TAKEN,
    /** The tenant has as many as it may have; nothing is stored. */
    TOO_MANY,
    /** There is none to be replaced; nothing is stored. */
    MISSING
}
