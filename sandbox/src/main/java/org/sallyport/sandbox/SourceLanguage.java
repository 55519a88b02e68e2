package org.sallyport.sandbox;

/** The language of a script. Types are stripped from TypeScript before it runs; there is no type check. */
public enum SourceLanguage {
    JAVASCRIPT,
    TYPESCRIPT,
    /** JavaScript if the script is valid JavaScript without type arguments, else TypeScript. */
    UNSPECIFIED
}
