package org.sallyport.sandbox;

/** The two output streams of a script. */
public enum OutputStreamKind {
    OUT,
    ERR
}
