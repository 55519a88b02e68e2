package org.sallyport.web.api;

import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.Sha256Hash;

/**
 * The parsed query of a list of executions. An invalid value is a problem that names its parameter.
 *
 * @param filter the filter of the executions
 * @param limit maximum number of executions
 * @param fingerprint fingerprint of the requested filter, which the cursors of this list contain
 * @param beforeId the id before which the page starts
 */
record ExecutionListQuery(ExecutionFilter filter, int limit, String fingerprint, Optional<ExecutionId> beforeId) {
    private static final int DEFAULT_PAGE_SIZE = 50;
    private static final int MAX_PAGE_SIZE = 200;
    private static final int MAX_REPETITIONS = 10;
    private static final int MAX_VALUE_LENGTH = 2_000;
    private static final int MAX_TEXT_LENGTH = 200;
    private static final String RECENT = "recent";
    private static final Set<ExecutionState> UNFINISHED =
            EnumSet.of(ExecutionState.PENDING, ExecutionState.RUNNING, ExecutionState.WAITING);
    private static final String SUBMITTED_BY = "submittedBy";
    private static final String COLLAPSE_BATCHES = "collapseBatches";
    private static final List<String> FILTER_PARAMETERS = List.of(
            "state",
            "capability",
            "label",
            "tool",
            "rerunOf",
            "parent",
            "since",
            "finishedWithin",
            RECENT,
            "q",
            SUBMITTED_BY,
            COLLAPSE_BATCHES);

    /** Parses the known parameters; ignores others. */
    static ExecutionListQuery of(MultivaluedMap<String, String> parameters, Instant now) {
        @Nullable String cursor = parameters.getFirst("cursor");
        int limit = (int) Math.min(
                MAX_PAGE_SIZE,
                RequestParameters.longInRange(
                        "limit", parameters.getFirst("limit"), DEFAULT_PAGE_SIZE, 1, Integer.MAX_VALUE));
        Optional<Duration> recent = single(parameters, RECENT).map(text -> Iso8601.parseDuration(RECENT, text));
        if (recent.isPresent() && single(parameters, "finishedWithin").isPresent()) {
            throw RequestParameters.invalidParameter(RECENT, "does not go with 'finishedWithin'");
        }
        ExecutionFilter filter = new ExecutionFilter(
                RequestParameters.states(all(parameters, "state")),
                single(parameters, "capability"),
                repeated(parameters, "label").stream()
                        .map(ExecutionListQuery::label)
                        .toList(),
                repeated(parameters, "tool").stream()
                        .map(ExecutionListQuery::tool)
                        .toList(),
                single(parameters, "rerunOf").map(text -> execution("rerunOf", text)),
                single(parameters, "parent").map(text -> execution("parent", text)),
                single(parameters, "since").map(text -> Iso8601.parseSince("since", text, now)),
                recent.or(() -> single(parameters, "finishedWithin")
                        .map(text -> Iso8601.parseDuration("finishedWithin", text))),
                recent.isPresent(),
                single(parameters, "q").map(ExecutionListQuery::text),
                single(parameters, SUBMITTED_BY).map(ExecutionListQuery::submitter),
                false);
        String fingerprint = fingerprint(parameters);
        if (RequestParameters.flag(
                COLLAPSE_BATCHES, single(parameters, COLLAPSE_BATCHES).orElse(null))) {
            if (FILTER_PARAMETERS.stream()
                    .anyMatch(name -> !name.equals(COLLAPSE_BATCHES)
                            && all(parameters, name).stream().anyMatch(value -> !value.isEmpty()))) {
                throw RequestParameters.invalidParameter(COLLAPSE_BATCHES, "does not go with filters");
            }
            filter = ExecutionFilter.OUTSIDE_BATCHES;
        }
        return new ExecutionListQuery(filter, limit, fingerprint, Cursor.decode(cursor, fingerprint));
    }

    /**
     * Parses a selection of executions to cancel: at least one filter, and only states that can be left. Without states
     * it selects all executions that have not ended.
     */
    static ExecutionListQuery ofUnfinished(MultivaluedMap<String, String> parameters, Instant now) {
        ExecutionListQuery query = of(parameters, now);
        if (query.fingerprint().isEmpty()) {
            throw new ProblemException(
                    ProblemType.VALIDATION, "name at least one filter, such as 'state', 'label' or 'submittedBy'");
        }
        Set<ExecutionState> states = query.filter().states();
        if (states.stream().anyMatch(ExecutionState::isTerminal)) {
            throw RequestParameters.invalidParameter("state", "must be PENDING, RUNNING or WAITING");
        }
        return states.isEmpty()
                ? new ExecutionListQuery(
                        query.filter().withStates(UNFINISHED), query.limit(), query.fingerprint(), query.beforeId())
                : query;
    }

    /** The parameters of a list by state, and by the time since the end of those that have ended. */
    static MultivaluedMap<String, String> byState(List<String> states, String recent, String limit, String cursor) {
        MultivaluedMap<String, String> parameters = new MultivaluedHashMap<>();
        parameters.put("state", states);
        parameters.putSingle(RECENT, recent);
        parameters.putSingle("limit", limit);
        parameters.putSingle("cursor", cursor);
        return parameters;
    }

    /** The parameters of a list of nested executions. */
    static MultivaluedMap<String, String> childrenOf(
            ExecutionId parent, @Nullable String limit, @Nullable String cursor) {
        MultivaluedMap<String, String> parameters = new MultivaluedHashMap<>();
        parameters.putSingle("parent", parent.toString());
        parameters.putSingle("limit", limit);
        parameters.putSingle("cursor", cursor);
        return parameters;
    }

    private static List<String> all(MultivaluedMap<String, String> parameters, String name) {
        return parameters.getOrDefault(name, List.of());
    }

    private static List<String> repeated(MultivaluedMap<String, String> parameters, String name) {
        List<String> values = all(parameters, name).stream()
                .filter(text -> !text.isEmpty())
                .distinct()
                .toList();
        if (values.size() > MAX_REPETITIONS) {
            throw RequestParameters.invalidParameter(name, "may be repeated " + MAX_REPETITIONS + " times at most");
        }
        return values;
    }

    private static Optional<String> single(MultivaluedMap<String, String> parameters, String name) {
        List<String> values =
                all(parameters, name).stream().filter(text -> !text.isEmpty()).toList();
        if (values.size() > 1) {
            throw RequestParameters.invalidParameter(name, "may be given once only");
        }
        return values.stream().findFirst();
    }

    private static String label(String text) {
        if (text.indexOf(':') < 1 || text.length() > MAX_VALUE_LENGTH) {
            throw RequestParameters.invalidParameter("label", "must be key:value");
        }
        return text;
    }

    private static String tool(String text) {
        int dot = text.indexOf('.');
        if (dot < 1 || dot == text.length() - 1 || text.length() > MAX_VALUE_LENGTH) {
            throw RequestParameters.invalidParameter("tool", "must be backend.tool");
        }
        return text;
    }

    private static ExecutionId execution(String parameter, String text) {
        return ExecutionId.parse(text)
                .orElseThrow(() -> RequestParameters.invalidParameter(parameter, "must be the id of an execution"));
    }

    private static String submitter(String text) {
        if (text.length() > MAX_VALUE_LENGTH) {
            throw RequestParameters.invalidParameter(SUBMITTED_BY, "must be the id of a caller");
        }
        return text;
    }

    private static String text(String text) {
        String stripped = text.strip();
        if (stripped.isEmpty() || stripped.length() > MAX_TEXT_LENGTH) {
            throw RequestParameters.invalidParameter("q", "must be 1 to " + MAX_TEXT_LENGTH + " characters");
        }
        return stripped;
    }

    /** Sorts repeated values: the order in which a client repeats a parameter does not change the list. */
    private static String fingerprint(MultivaluedMap<String, String> parameters) {
        StringBuilder text = new StringBuilder();
        for (String name : FILTER_PARAMETERS) {
            all(parameters, name).stream()
                    .flatMap(value ->
                            name.equals("state") ? Arrays.stream(value.split(",", -1)) : List.of(value).stream())
                    .filter(value -> !value.isEmpty())
                    .sorted()
                    .forEach(
                            value -> text.append(name).append('=').append(value).append('\n'));
        }
        return text.isEmpty() ? "" : Sha256Hash.of(text.toString()).substring(0, 16);
    }
}
