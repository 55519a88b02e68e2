package org.sallyport.execution;

/** The way a script is run: the cheapest that gives the same answer. */
public enum ScriptTier {
    /** One tool call as JSON: no engine. */
    DIRECT,
    /** One tool call with literal arguments: no engine. */
    SIMPLE,
    /** A script engine. */
    SANDBOX
}
