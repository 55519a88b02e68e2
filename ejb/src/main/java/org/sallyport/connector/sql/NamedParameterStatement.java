package org.sallyport.connector.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sallyport.catalog.ToolDefinition;

/**
 * One SQL statement with named parameters {@code :name}. Names within string literals, quoted identifiers and comments,
 * and after a second colon, are not parameters.
 *
 * @param sql the statement with JDBC placeholders
 * @param parameters argument name of each placeholder, in order
 * @param sendsCallId whether the parameter {@link #CALL_ID} is the id of the call, and no argument
 * @param writes whether the statement changes data; otherwise its transaction is rolled back
 * @param definition the tool definition for scripts
 */
record NamedParameterStatement(
        String sql, List<String> parameters, boolean sendsCallId, boolean writes, ToolDefinition definition) {
    /** The parameter that is the id of the call, if the backend is configured to send it. */
    static final String CALL_ID = "callId";

    private static final Pattern TOKEN = Pattern.compile("(?s)'(?:[^']++|'')*+'"
            + "|\"(?:[^\"]++|\"\")*+\""
            + "|(?<dollar>\\$(?:[A-Za-z_][A-Za-z0-9_]*)?\\$).*?\\k<dollar>"
            + "|--[^\\n]*"
            + "|/\\*.*?\\*/"
            + "|::"
            + "|(?<mark>\\?)"
            + "|(?<end>;)"
            + "|:(?<name>[A-Za-z_][A-Za-z0-9_]*)");

    /**
     * A beginning of statements that are undone with their transaction. Others, for example definitions of tables in H2
     * and calls of procedures, may commit by themselves.
     */
    private static final Pattern TRANSACTIONAL = Pattern.compile(
            "(?is)(?:\\s++|--[^\\n]*+\\n|/\\*.*?\\*/|\\()*+(?:select|values|table|with|insert|update|delete|merge)\\b");

    NamedParameterStatement {
        parameters = List.copyOf(parameters);
    }

    /** Whether the statement certainly changes nothing if its transaction is rolled back. */
    boolean isTransactional() {
        return TRANSACTIONAL.matcher(sql).lookingAt();
    }

    /** A statement with JDBC placeholders, and the argument name of each. */
    record ParsedStatement(String sql, List<String> parameters) {}

    /** Parses a statement; empty if it contains a '?', or more than one statement. */
    static Optional<ParsedStatement> parse(String written) {
        String text = written.strip().replaceFirst(";\\s*\\z", "");
        StringBuilder sql = new StringBuilder();
        List<String> parameters = new ArrayList<>();
        Matcher piece = TOKEN.matcher(text);
        while (piece.find()) {
            if (piece.group("mark") != null || piece.group("end") != null) {
                return Optional.empty();
            }
            String name = piece.group("name");
            if (name != null) {
                parameters.add(name);
            }
            piece.appendReplacement(sql, Matcher.quoteReplacement(name == null ? piece.group() : "?"));
        }
        piece.appendTail(sql);
        return Optional.of(new ParsedStatement(sql.toString(), parameters));
    }
}
