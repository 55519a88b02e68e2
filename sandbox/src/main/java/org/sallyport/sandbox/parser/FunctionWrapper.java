package org.sallyport.sandbox.parser;

/** The function that wraps the code of a script. */
final class FunctionWrapper {
    static final String ARGS = "$args$";
    static final String CONTEXT = "$context$";
    static final String REQUIRE = "$require$";
    /** Has the same length as {@code import}, which it replaces. */
    static final String IMPORT = "$impor";

    /** Name of the constant that holds the default export; as long as {@code default} with the character after it. */
    static final String MAIN = "$main$";

    /** The object with the globals of other runtimes, see {@link AbsentGlobals}. */
    static final String ABSENT = "$absent$";

    /** The function that opens a list of resources, see {@link UsingRewriter}. */
    static final String USING = "$using$";

    /** The function that returns the helpers of {@link SpreadRewriter}; a script that has the name gets another one. */
    static final String SPREAD = "$spread$";

    /** What connects a script with its tests, see {@link TestScope}. */
    static final String SCOPE = "$scope$";

    private static final String STRICT = "'use strict';";
    private static final String SUFFIX = "\n})";

    private FunctionWrapper() {}

    /**
     * Wraps the whole of {@code body}; {@code first} runs before it and {@code last} after it.
     *
     * @param spread the name in place of {@link #SPREAD}
     */
    static TextEdits.TextEditResult wrap(
            TextEdits body, ScriptRole role, boolean strict, String spread, String first, String last) {
        boolean tests = role == ScriptRole.TESTS;
        String parameters = String.join(",", ARGS, CONTEXT, REQUIRE, IMPORT, ABSENT, USING, spread, SCOPE);
        String prefix = "(async(" + parameters + ")=>{" + (strict ? STRICT : "");
        return body.applyWithin(
                (tests ? TestScope.BEFORE_TESTS : "") + prefix + first,
                "\n" + last + SUFFIX + (tests ? TestScope.AFTER_TESTS : ""));
    }

    /** Returns a call of {@code function} with the arguments of the script. */
    static String call(String function) {
        return function + "(" + ARGS + ", " + CONTEXT + ")";
    }
}
