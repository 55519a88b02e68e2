package org.sallyport.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * What the command was asked for.
 *
 * @param warmUp how long the service works before anything counts
 * @param json where to write the report for programs
 */
record Arguments(boolean help, Duration warmUp, Optional<Path> json) {
    static final Duration WARM_UP = Duration.ofSeconds(2);
    private static final int SECONDS = 3_600;

    static final String USAGE = """
            Usage: sallyport bench smoke [--warm-up SECONDS] [--json FILE]

            Starts a service of its own, measures it beside the bare broker and the bare database, and ends it.
              smoke        every row once, for about a minute
              --warm-up S  let the service work for S seconds before anything counts (2); a young Java VM
                           spends most of its time on compiling itself, so more seconds, better figures
              --json FILE  write the report as JSON, too

            It fails when a result is wrong, never because something is slow.
            """;

    /**
     * Reads them.
     *
     * @throws IllegalArgumentException saying what is not understood
     */
    static Arguments parse(List<String> words) {
        Deque<String> left = new ArrayDeque<>(words);
        Optional<Path> json = Optional.empty();
        Duration warmUp = WARM_UP;
        boolean smoke = false;
        while (!left.isEmpty()) {
            String word = left.removeFirst();
            switch (word) {
                case "-h", "--help", "help" -> {
                    return new Arguments(true, WARM_UP, Optional.empty());
                }
                case "smoke" -> smoke = true;
                case "--json" -> json = Optional.of(Path.of(value(word, left)));
                case "--warm-up" -> warmUp = seconds(word, value(word, left));
                default -> throw new IllegalArgumentException("'" + word + "' is not understood.");
            }
        }
        if (!smoke) {
            throw new IllegalArgumentException("Say what to run: smoke.");
        }
        return new Arguments(false, warmUp, json);
    }

    private static String value(String option, Deque<String> left) {
        if (left.isEmpty()) {
            throw new IllegalArgumentException(option + " needs a value.");
        }
        return left.removeFirst();
    }

    private static Duration seconds(String option, String value) {
        if (!value.matches("\\d{1,4}") || Integer.parseInt(value) < 1 || Integer.parseInt(value) > SECONDS) {
            throw new IllegalArgumentException(
                    option + " needs whole seconds, 1 to " + SECONDS + ", not '" + value + "'.");
        }
        return Duration.ofSeconds(Integer.parseInt(value));
    }
}
