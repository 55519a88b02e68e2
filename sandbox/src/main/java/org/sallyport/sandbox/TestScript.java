package org.sallyport.sandbox;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An implementation and its tests, combined into one script; a line {@code //# sallyport-tests} separates them. Running
 * the script runs the tests, which call the implementation as {@code main(args, context)} and see what it declares, and
 * returns {@code {"success", "summary", "tests", "error"}}.
 *
 * @param implementation a script of any form; blank if the tests need none
 * @param tests code that calls {@code test}
 */
public record TestScript(Script implementation, Script tests) {
    private static final String SEPARATOR = "//# sallyport-tests";
    private static final Pattern SEPARATOR_LINE =
            Pattern.compile("^" + SEPARATOR + "[ \\t]*\\r?\\n", Pattern.MULTILINE);

    /** Returns the same parts in another language. */
    public TestScript withLanguage(SourceLanguage language) {
        return new TestScript(new Script(implementation.code(), language), new Script(tests.code(), language));
    }

    /** Combines both parts into one script. */
    public Script toScript() {
        return new Script(implementation.code() + "\n" + SEPARATOR + "\n" + tests.code(), implementation.language());
    }

    /** Returns whether {@code code} contains a separator line, or a line that the parser would take for one. */
    public static boolean containsSeparator(String code) {
        return SEPARATOR_LINE.matcher(code + "\n").find();
    }

    /** Splits a script at its last separator line. Returns empty if the script has none. */
    public static Optional<TestScript> parse(Script script) {
        if (!script.code().contains(SEPARATOR)) {
            return Optional.empty();
        }
        Matcher mark = SEPARATOR_LINE.matcher(script.code());
        int start = -1;
        int end = -1;
        while (mark.find()) {
            start = mark.start();
            end = mark.end();
        }
        if (start < 0) {
            return Optional.empty();
        }
        String code = script.code();
        return Optional.of(new TestScript(
                // The line end before the separator belongs to the separator.
                new Script(code.substring(0, Math.max(0, start - 1)), script.language()),
                new Script(code.substring(end), script.language())));
    }
}
