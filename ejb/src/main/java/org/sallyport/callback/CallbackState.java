package org.sallyport.callback;

/** How far a callback is. */
public enum CallbackState {
    /** Its execution has not ended. */
    WAITING,
    /** It is to be sent, for the first time or again. */
    DUE,
    /** Its receiver has taken it. */
    DELIVERED,
    /** It was given up. */
    FAILED
}
