package org.sallyport.sandbox;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An implementation and the tests of it, as one script: a line {@code //# sallyport-tests} stands between them. Running
 * it runs the tests, which reach the implementation as {@code main(args, context)}; it returns {@code {"success",
 * "summary", "tests", "error"}}.
 *
 * @param implementation a script of any form
 * @param tests code that calls {@code test}
 */
public record TestScript(Script implementation, Script tests) {
    private static final String SEPARATOR = "//# sallyport-tests";
    private static final Pattern SEPARATOR_LINE =
            Pattern.compile("^" + SEPARATOR + "[ \\t]*\\r?\\n", Pattern.MULTILINE);

    /** Both as one script. */
    public Script toScript() {
        return new Script(implementation.code() + "\n" + SEPARATOR + "\n" + tests.code(), implementation.language());
    }

    /** Whether a text holds the line that stands between the two, or what could be taken for it. */
    public static boolean containsSeparator(String code) {
        return SEPARATOR_LINE.matcher(code + "\n").find();
    }

    /** What a script consists of, if it holds tests: those after the last such line. */
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
                // Without the line end that is the mark's.
                new Script(code.substring(0, Math.max(0, start - 1)), script.language()),
                new Script(code.substring(end), script.language())));
    }
}
