package org.sallyport.sandbox;

/** The language an author wrote a script in. TypeScript is stripped of its types before it runs; nothing is type-checked. */
public enum SourceLanguage {
    JAVASCRIPT,
    TYPESCRIPT
}
