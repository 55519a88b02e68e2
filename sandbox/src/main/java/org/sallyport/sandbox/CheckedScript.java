package org.sallyport.sandbox;

/**
 * The result of checking a script, and the names that it refers to.
 *
 * @param references {@link ScriptReferences#NONE} if they were not requested
 */
public record CheckedScript(ScriptCheckResult result, ScriptReferences references) {}
