package org.sallyport.execution;

/** The two streams a script writes to. */
public enum OutputKind {
    OUT,
    ERR
}
