package org.sallyport.sandbox.source;

/** The function that a script becomes the body of. */
final class FunctionWrapper {
    static final String ARGS = "$args$";
    static final String CONTEXT = "$context$";
    static final String REQUIRE = "$require$";
    /** As long as {@code import}, which it stands for. */
    static final String IMPORT = "$impor";

    /** What a default export is kept as; as long as {@code default} with the sign after it. */
    static final String MAIN = "$main$";

    private static final String PREFIX = "(async(" + ARGS + "," + CONTEXT + "," + REQUIRE + "," + IMPORT + ")=>{";
    private static final String STRICT = "'use strict';";
    private static final String SUFFIX = "\n})";

    private FunctionWrapper() {}

    /** Wraps the whole of {@code body}; {@code first} is run before it and {@code last} after it. */
    static TextEdits.TextEditResult wrap(TextEdits body, boolean strict, String first, String last) {
        return body.applyWithin(PREFIX + (strict ? STRICT : "") + first, "\n" + last + SUFFIX);
    }

    /** The call of a function, with the arguments of a main. */
    static String call(String function) {
        return function + "(" + ARGS + ", " + CONTEXT + ")";
    }
}
