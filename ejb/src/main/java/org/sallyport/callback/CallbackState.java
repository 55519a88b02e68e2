package org.sallyport.callback;

/** The state of a callback. */
public enum CallbackState {
    /** Its execution has not ended. */
    WAITING,
    /** It is to be sent, for the first time or again. */
    DUE,
    /** Its receiver has accepted it. */
    DELIVERED,
    /** It was given up. */
    FAILED
}
