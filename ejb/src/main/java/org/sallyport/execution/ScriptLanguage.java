package org.sallyport.execution;

/** The language a script is written in. */
public enum ScriptLanguage {
    JAVASCRIPT,
    TYPESCRIPT,
    /** The submitter named none: JavaScript if the script is valid JavaScript, else TypeScript. Never stored. */
    UNSPECIFIED
}
