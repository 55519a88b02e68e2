package org.sallyport.script;

/**
 * A saved script.
 *
 * @param summary the summary that lists show
 * @param code the code as it ran
 */
public record SavedScript(ScriptSummary summary, String code) {}
