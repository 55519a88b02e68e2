package org.sallyport.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An example of a documentation page, in a block that is tagged {@code js run} or {@code ts run}.
 *
 * @param language {@code js} or {@code ts}
 * @param code the code without the lines that show the outcome
 * @param outcomes the expected outcome, line by line
 */
public record DocumentedExample(String language, String code, List<DocumentedOutcome> outcomes) {
    private static final Pattern EXAMPLE = Pattern.compile("```(js|ts) run\n(.*?)```", Pattern.DOTALL);
    private static final Pattern OUTCOME = Pattern.compile("// (→|prints|warns|fails) (.*)");

    public DocumentedExample {
        outcomes = List.copyOf(outcomes);
    }

    /**
     * A line that shows a part of the outcome.
     *
     * @param kind {@code →} for the result, {@code prints} for a line of standard output, {@code warns} for a line of
     *     standard error, {@code fails} for the error
     * @param text the result as JSON, the line, or the code of the error, a colon, a space and a part of its message
     */
    public record DocumentedOutcome(String kind, String text) {}

    /** Reads the examples of a page, in order. */
    public static List<DocumentedExample> readAll(Path page) {
        try {
            return EXAMPLE.matcher(Files.readString(page))
                    .results()
                    .map(example -> parse(example.group(1), example.group(2)))
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static DocumentedExample parse(String language, String text) {
        List<String> code = new ArrayList<>();
        List<DocumentedOutcome> outcomes = new ArrayList<>();
        text.lines().forEach(line -> {
            Matcher outcome = OUTCOME.matcher(line);
            if (outcome.matches()) {
                outcomes.add(new DocumentedOutcome(outcome.group(1), outcome.group(2)));
            } else {
                code.add(line);
            }
        });
        if (outcomes.isEmpty()) {
            throw new IllegalArgumentException("an example shows no outcome: " + text);
        }
        return new DocumentedExample(language, String.join("\n", code), outcomes);
    }

    /** The lines of an outcome of this kind, each with its line end. */
    public String lines(String kind) {
        StringBuilder lines = new StringBuilder();
        for (DocumentedOutcome outcome : outcomes) {
            if (outcome.kind().equals(kind)) {
                lines.append(outcome.text()).append('\n');
            }
        }
        return lines.toString();
    }

    /** The first line of the code, which names the example in reports of tests. */
    @Override
    public String toString() {
        return code.lines().findFirst().orElse("");
    }
}
