package org.sallyport.execution;

/** How a script is run: the cheapest tier that yields the same result. */
public enum ScriptTier {
    /** One tool call as JSON, without a script engine. */
    DIRECT,
    /** One tool call with literal arguments, without a script engine. */
    SIMPLE,
    /** A script engine. */
    SANDBOX
}
