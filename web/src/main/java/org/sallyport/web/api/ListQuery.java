package org.sallyport.web.api;

import jakarta.ws.rs.core.MultivaluedHashMap;
import jakarta.ws.rs.core.MultivaluedMap;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.execution.ExecutionFilter;
import org.sallyport.execution.ExecutionId;

/**
 * What a list of executions was asked for, each value of the expected form or a problem that names its parameter.
 *
 * @param filter which executions
 * @param limit at most so many
 * @param fingerprint of the filter as it was asked for, which a cursor of this list carries
 * @param before where the page begins
 */
record ListQuery(ExecutionFilter filter, int limit, String fingerprint, Optional<ExecutionId> before) {
    private static final int PAGE = 50;
    private static final int LARGEST_PAGE = 200;
    private static final int MOST = 10;
    private static final int LONGEST = 2_000;
    private static final int LONGEST_TEXT = 200;
    private static final List<String> FILTERS =
            List.of("state", "capability", "label", "tool", "rerunOf", "parent", "since", "finishedWithin", "q");

    /** Reads the parameters by their names; others are left alone. */
    static ListQuery of(MultivaluedMap<String, String> parameters, Instant now) {
        @Nullable String cursor = parameters.getFirst("cursor");
        int limit = (int) Math.min(
                LARGEST_PAGE, Parameters.whole("limit", parameters.getFirst("limit"), PAGE, 1, Integer.MAX_VALUE));
        ExecutionFilter filter = new ExecutionFilter(
                Parameters.states(all(parameters, "state")),
                one(parameters, "capability"),
                several(parameters, "label").stream().map(ListQuery::label).toList(),
                several(parameters, "tool").stream().map(ListQuery::tool).toList(),
                one(parameters, "rerunOf").map(text -> execution("rerunOf", text)),
                one(parameters, "parent").map(text -> execution("parent", text)),
                one(parameters, "since").map(text -> Moments.since("since", text, now)),
                one(parameters, "finishedWithin").map(text -> Moments.duration("finishedWithin", text)),
                one(parameters, "q").map(ListQuery::text));
        String fingerprint = fingerprint(parameters);
        return new ListQuery(filter, limit, fingerprint, Cursor.decode(cursor, fingerprint));
    }

    /** Of states and a place only. */
    static MultivaluedMap<String, String> plain(List<String> states, String limit, String cursor) {
        MultivaluedMap<String, String> parameters = new MultivaluedHashMap<>();
        parameters.put("state", states);
        parameters.putSingle("limit", limit);
        parameters.putSingle("cursor", cursor);
        return parameters;
    }

    /** Of what is nested in an execution, and a place. */
    static MultivaluedMap<String, String> nestedIn(
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

    private static List<String> several(MultivaluedMap<String, String> parameters, String name) {
        List<String> values = all(parameters, name).stream()
                .filter(text -> !text.isEmpty())
                .distinct()
                .toList();
        if (values.size() > MOST) {
            throw Parameters.fault(name, "may be repeated " + MOST + " times at most");
        }
        return values;
    }

    private static Optional<String> one(MultivaluedMap<String, String> parameters, String name) {
        List<String> values =
                all(parameters, name).stream().filter(text -> !text.isEmpty()).toList();
        if (values.size() > 1) {
            throw Parameters.fault(name, "may be given once only");
        }
        return values.stream().findFirst();
    }

    private static String label(String text) {
        if (text.indexOf(':') < 1 || text.length() > LONGEST) {
            throw Parameters.fault("label", "must be key:value");
        }
        return text;
    }

    private static String tool(String text) {
        int dot = text.indexOf('.');
        if (dot < 1 || dot == text.length() - 1 || text.length() > LONGEST) {
            throw Parameters.fault("tool", "must be backend.tool");
        }
        return text;
    }

    private static ExecutionId execution(String parameter, String text) {
        return ExecutionId.parse(text).orElseThrow(() -> Parameters.fault(parameter, "must be the id of an execution"));
    }

    private static String text(String text) {
        String stripped = text.strip();
        if (stripped.isEmpty() || stripped.length() > LONGEST_TEXT) {
            throw Parameters.fault("q", "must be 1 to " + LONGEST_TEXT + " characters");
        }
        return stripped;
    }

    /** The order in which a client repeats a parameter makes no other list. */
    private static String fingerprint(MultivaluedMap<String, String> parameters) {
        StringBuilder text = new StringBuilder();
        for (String name : FILTERS) {
            all(parameters, name).stream()
                    .flatMap(value ->
                            name.equals("state") ? Arrays.stream(value.split(",", -1)) : List.of(value).stream())
                    .filter(value -> !value.isEmpty())
                    .sorted()
                    .forEach(
                            value -> text.append(name).append('=').append(value).append('\n'));
        }
        return text.isEmpty() ? "" : sha256(text.toString()).substring(0, 16);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
