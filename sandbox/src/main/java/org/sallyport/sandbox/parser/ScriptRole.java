package org.sallyport.sandbox.parser;

/** What a text is read for. */
public enum ScriptRole {
    /** To be run. */
    SCRIPT,
    /** To be run by its tests, which also see what it declares. */
    TESTED,
    /** The tests of another script. */
    TESTS
}
