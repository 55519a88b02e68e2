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

    private static final String PREFIX = "(async(" + ARGS + "," + CONTEXT + "," + REQUIRE + "," + IMPORT + ")=>{";
    private static final String STRICT = "'use strict';";
    private static final String SUFFIX = "\n})";

    private FunctionWrapper() {}

    /** Wraps the whole of {@code body}; {@code first} runs before it and {@code last} after it. */
    static TextEdits.TextEditResult wrap(TextEdits body, boolean strict, String first, String last) {
        return body.applyWithin(PREFIX + (strict ? STRICT : "") + first, "\n" + last + SUFFIX);
    }

    /** Returns a call of {@code function} with the arguments of the script. */
    static String call(String function) {
        return function + "(" + ARGS + ", " + CONTEXT + ")";
    }
}
