package org.sallyport.connector.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.sallyport.catalog.ToolDefinition;

/**
 * One statement with {@code :name} where arguments are bound. Names within texts, quoted names, comments and behind another
 * colon are none.
 *
 * @param sql as JDBC takes it
 * @param parameters the argument of each place, in order
 * @param writes whether it changes anything; otherwise nothing that it does stays
 * @param definition what scripts are told
 */
record NamedParameterStatement(String sql, List<String> parameters, boolean writes, ToolDefinition definition) {
    private static final Pattern TOKEN = Pattern.compile("(?s)'(?:[^']++|'')*+'"
            + "|\"(?:[^\"]++|\"\")*+\""
            + "|(?<dollar>\\$(?:[A-Za-z_][A-Za-z0-9_]*)?\\$).*?\\k<dollar>"
            + "|--[^\\n]*"
            + "|/\\*.*?\\*/"
            + "|::"
            + "|(?<mark>\\?)"
            + "|(?<end>;)"
            + "|:(?<name>[A-Za-z_][A-Za-z0-9_]*)");

    NamedParameterStatement {
        parameters = List.copyOf(parameters);
    }

    /** What JDBC takes, and what is bound where. */
    record ParsedStatement(String sql, List<String> parameters) {}

    /** Reads a statement; empty when it has a '?', or more than one statement. */
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
