package org.sallyport.script;

/**
 * A script that is kept.
 *
 * @param summary what a list shows of it
 * @param code as it ran
 */
public record SavedScript(ScriptSummary summary, String code) {}
