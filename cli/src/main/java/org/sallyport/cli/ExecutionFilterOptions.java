package org.sallyport.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that select executions. */
final class ExecutionFilterOptions {
    @Option(
            names = "--state",
            paramLabel = "STATE",
            description = "Only this state: pending, running, waiting, completed, failed, cancelled, timed-out.")
    private @Nullable String state;

    @Option(names = "--label", paramLabel = "KEY:VALUE", description = "Only those with this label; may be repeated.")
    private List<String> labels = List.of();

    @Option(
            names = "--tool",
            paramLabel = "BACKEND.TOOL",
            description = "Only those that have called this tool; may be repeated.")
    private List<String> tools = List.of();

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Only those accepted since then: 2026-06-08T15:00:00Z, or PT1H for the last hour.")
    private @Nullable String since;

    @Option(names = "--capability", paramLabel = "NAME", description = "Only runs of this capability, or NAME@VERSION.")
    private @Nullable String capability;

    @Option(
            names = "--q",
            paramLabel = "TEXT",
            description =
                    "Only those with this text in script, intent, labels, capability or error, or as start of its id.")
    private @Nullable String text;

    @Option(
            names = "--submitted-by",
            paramLabel = "CALLER",
            description = "Only those of this caller: the id of a key, or jwt:SUBJECT@ISSUER of a token.")
    private @Nullable String submitter;

    @Option(names = "--rerun-of", paramLabel = "ID", description = "Only re-runs of this execution.")
    private @Nullable String rerunOf;

    @Option(
            names = "--nested-in",
            paramLabel = "ID",
            description = "Only those that this execution started as capabilities.")
    private @Nullable String parent;

    /**
     * One filter of the command line.
     *
     * @param option name of the option
     * @param parameter name of the query parameter of the API
     * @param typedValue value as the user typed it
     * @param parameterValue value of the query parameter
     */
    record ExecutionFilterOption(String option, String parameter, String typedValue, String parameterValue) {}

    /** Returns the filters that were given. */
    List<ExecutionFilterOption> filters() {
        List<ExecutionFilterOption> filters = new ArrayList<>();
        addFilter(filters, "--state", "state", state, ExecutionFilterOptions::readState);
        addFilter(filters, "--capability", "capability", capability, text -> text);
        labels.forEach(label -> addFilter(filters, "--label", "label", label, text -> text));
        tools.forEach(tool -> addFilter(filters, "--tool", "tool", tool, text -> text));
        addFilter(filters, "--submitted-by", "submittedBy", submitter, text -> text);
        addFilter(filters, "--rerun-of", "rerunOf", rerunOf, text -> text);
        addFilter(filters, "--nested-in", "parent", parent, text -> text);
        addFilter(filters, "--since", "since", since, text -> text);
        addFilter(filters, "--q", "q", text, text -> text);
        return filters;
    }

    static void addFilter(
            List<ExecutionFilterOption> filters,
            String option,
            String parameter,
            @Nullable String typed,
            UnaryOperator<String> read) {
        if (typed != null) {
            filters.add(new ExecutionFilterOption(option, parameter, typed, read.apply(typed)));
        }
    }

    private static String readState(String text) {
        String state = text.toUpperCase(Locale.ROOT).replace('-', '_');
        return state.equals("QUEUED") ? "PENDING" : state;
    }

    /** Returns the query parameters of the filters. */
    List<Map.Entry<String, String>> parameters() {
        List<Map.Entry<String, String>> parameters = new ArrayList<>();
        filters().forEach(filter -> parameters.add(Map.entry(filter.parameter(), filter.parameterValue())));
        return parameters;
    }
}
