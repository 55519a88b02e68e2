package org.sallyport.execution;

/** The language a script is written in. */
public enum ScriptLanguage {
    JAVASCRIPT,
    TYPESCRIPT
}
