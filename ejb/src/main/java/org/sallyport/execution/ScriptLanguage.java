package org.sallyport.execution;

/** The language a script is written in. */
public enum ScriptLanguage {
    JAVASCRIPT,
    TYPESCRIPT,
    /**
     * The submitter named none: JavaScript if the script is valid JavaScript without type arguments, else TypeScript.
     * Never stored.
     */
    UNSPECIFIED
}
