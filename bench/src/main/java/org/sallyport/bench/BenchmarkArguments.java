package org.sallyport.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parsed arguments of the benchmark command.
 *
 * @param command {@code smoke}, {@code pair}, {@code full}, {@code growth}, {@code sandbox} or {@code parts}
 * @param warmUp duration of the load that runs before any measurement
 * @param selectedRows the rows of the service to measure; empty for all rows
 * @param jsonFile file for the report in JSON
 * @param peersDirectory directory with the programs of other script engines that the sandbox is compared with
 * @param storedCounts numbers of stored executions of the two services of {@code growth}
 */
record BenchmarkArguments(
        boolean help,
        String command,
        Duration warmUp,
        Set<String> selectedRows,
        Optional<Path> jsonFile,
        Optional<Path> peersDirectory,
        GrowthRun.StoredCounts storedCounts) {
    static final Duration DEFAULT_WARM_UP = Duration.ofSeconds(2);
    private static final int MAX_SECONDS = 3_600;
    private static final Pattern TWO_NUMBERS = Pattern.compile("(\\d{1,8}),(\\d{1,8})");

    static final String USAGE = """
            Usage: sallyport bench smoke|pair|full [--only ROWS] [--warm-up SECONDS] [--json FILE]
                   sallyport bench growth [--stored FEW,MANY] [--warm-up SECONDS] [--json FILE]
                   sallyport bench sandbox [--warm-up SECONDS] [--json FILE] [--peers DIRECTORY]
                   sallyport bench parts [--warm-up SECONDS] [--json FILE]

            Starts a service, measures it, and stops it. In the same run it measures baselines: the message
            broker, the database and the MCP SDK without the service.
              smoke        measures every row briefly, in about a minute; P13 only if --only names it
              pair         measures every row in enough rounds for reliable ratios, in about ten minutes
              full         like pair, with 100,000 parked executions and ten minutes of overload
              growth       compares a service that stores 1,000,000 executions with one that stores 10,000
              sandbox      measures the sandbox without a service, in less than a minute
              parts        measures the steps of a call in the service's process, in less than a minute
              --only ROWS  measure only these rows of the service, such as P7,P9
              --stored F,M numbers of stored executions for growth (10000,1000000)
              --peers DIR  also measure the programs for Node in DIR, for comparison with the sandbox
              --warm-up S  run load for S seconds before the measurement (2); a new Java VM spends most of
                           its time on compilation, so a longer warm-up gives better figures
              --json FILE  also write the report as JSON

            The benchmark fails if a result is wrong. It never fails because the service is slow.
            """;

    /**
     * Parses the command line.
     *
     * @throws IllegalArgumentException if the arguments are invalid; the message names the invalid argument
     */
    static BenchmarkArguments parse(List<String> words) {
        Deque<String> left = new ArrayDeque<>(words);
        Optional<Path> json = Optional.empty();
        Duration warmUp = DEFAULT_WARM_UP;
        Optional<Path> peers = Optional.empty();
        GrowthRun.StoredCounts stored = GrowthRun.StoredCounts.DEFAULT;
        Set<String> only = Set.of();
        String command = "";
        while (!left.isEmpty()) {
            String word = left.removeFirst();
            switch (word) {
                case "-h", "--help", "help" -> {
                    return new BenchmarkArguments(true, command, DEFAULT_WARM_UP, only, json, peers, stored);
                }
                case "smoke", "pair", "full", "growth", "sandbox", "parts" -> command = word;
                case "--peers" -> peers = Optional.of(Path.of(value(word, left)));
                case "--stored" -> stored = parseStored(value(word, left));
                case "--only" -> only = parseRows(value(word, left));
                case "--json" -> json = Optional.of(Path.of(value(word, left)));
                case "--warm-up" -> warmUp = parseSeconds(word, value(word, left));
                default -> throw new IllegalArgumentException("'" + word + "' is neither a command nor an option.");
            }
        }
        if (command.isEmpty()) {
            throw new IllegalArgumentException("The command is missing: smoke, pair, full, growth, sandbox or parts.");
        }
        return new BenchmarkArguments(false, command, warmUp, only, json, peers, stored);
    }

    private static String value(String option, Deque<String> left) {
        if (left.isEmpty()) {
            throw new IllegalArgumentException(option + " needs a value.");
        }
        return left.removeFirst();
    }

    private static Set<String> parseRows(String value) {
        Set<String> rows = Set.of(value.split(","));
        if (!ServiceRun.ROWS.containsAll(rows)) {
            throw new IllegalArgumentException(
                    "--only needs rows of " + String.join(",", ServiceRun.ROWS) + ", not '" + value + "'.");
        }
        return rows;
    }

    private static GrowthRun.StoredCounts parseStored(String value) {
        Matcher two = TWO_NUMBERS.matcher(value);
        return two.matches()
                ? new GrowthRun.StoredCounts(Integer.parseInt(two.group(1)), Integer.parseInt(two.group(2)))
                : new GrowthRun.StoredCounts(0, 0);
    }

    private static Duration parseSeconds(String option, String value) {
        if (!value.matches("\\d{1,4}") || Integer.parseInt(value) < 1 || Integer.parseInt(value) > MAX_SECONDS) {
            throw new IllegalArgumentException(
                    option + " needs whole seconds, 1 to " + MAX_SECONDS + ", not '" + value + "'.");
        }
        return Duration.ofSeconds(Integer.parseInt(value));
    }
}
