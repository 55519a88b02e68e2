package org.sallyport.sandbox;

/** The two streams a script writes to. */
public enum OutputStreamKind {
    OUT,
    ERR
}
