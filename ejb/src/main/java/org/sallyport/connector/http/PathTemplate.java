package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A path with variables {@code {name}}, and a query behind it if the text has one. Literal characters that URLs cannot
 * have are percent-encoded; percent-encoded characters stay as they are.
 *
 * @param text begins with one slash
 * @param variables the arguments by the variables that they replace
 */
record PathTemplate(String text, Map<String, StyledArgument> variables) {
    private static final Pattern VARIABLE = Pattern.compile("\\{([^{}]+)}");
    private static final Pattern DOT = Pattern.compile("(?i)%2e");
    private static final Pattern ARGUMENT_NAME = Pattern.compile("[A-Za-z0-9_.-]+");

    PathTemplate {
        variables = Map.copyOf(variables);
    }

    /** Returns a template whose variables are the names of arguments. */
    static PathTemplate ofArguments(String text) {
        Map<String, StyledArgument> variables = new LinkedHashMap<>();
        names(text).stream()
                .filter(name -> ARGUMENT_NAME.matcher(name).matches())
                .forEach(name -> variables.put(name, new StyledArgument(name, ArgumentFormat.SCALAR)));
        return new PathTemplate(text, variables);
    }

    private static Set<String> names(String text) {
        Set<String> names = new LinkedHashSet<>();
        VARIABLE.matcher(text).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    /** Returns why the text is no path, or has a variable without an argument; empty if there is no reason. */
    Optional<String> findProblem() {
        if (!text.startsWith("/") || text.startsWith("//")) {
            return Optional.of("must begin with one '/'");
        }
        if (text.indexOf('#') >= 0) {
            return Optional.of("must have no fragment, which is never sent to a server");
        }
        if (text.indexOf('\\') >= 0 || text.chars().anyMatch(Character::isISOControl)) {
            return Optional.of("must have no backslash and no control character");
        }
        return variables.keySet().containsAll(names(text))
                        && !VARIABLE.matcher(text).replaceAll("").matches("(?s).*[{}].*")
                ? Optional.empty()
                : Optional.of("has a variable that is not declared");
    }

    /** The arguments in the order of the text. */
    Set<String> arguments() {
        Set<String> arguments = new LinkedHashSet<>();
        for (String name : names(text)) {
            StyledArgument variable = variables.get(name);
            if (variable != null) {
                arguments.add(variable.argument());
            }
        }
        return arguments;
    }

    /**
     * Returns the encoded path and query. Throws {@link UnencodableArgumentException} if an argument is missing, would
     * make its segment vanish, or would make it {@code .} or {@code ..}. An argument never extends beyond its segment.
     *
     * @param limit counts the texts of arguments
     */
    String expand(JsonNode arguments, RequestLengthLimit limit) {
        StringBuilder expanded = new StringBuilder();
        Matcher matcher = VARIABLE.matcher(text);
        int query = text.indexOf('?') < 0 ? text.length() : text.indexOf('?');
        int literal = 0;
        while (matcher.find()) {
            appendLiteral(expanded, literal, matcher.start(), query);
            StyledArgument variable = variables.get(matcher.group(1));
            if (variable == null) {
                throw new UnencodableArgumentException("the path has a variable that is not declared");
            }
            expanded.append(variable.pathText(matcher.group(1), arguments, matcher.start() > query, limit));
            literal = matcher.end();
        }
        appendLiteral(expanded, literal, text.length(), query);
        checkSegments(expanded.toString());
        return expanded.toString();
    }

    private void appendLiteral(StringBuilder expanded, int start, int end, int query) {
        int border = Math.min(end, Math.max(start, query));
        expanded.append(PercentEncoding.encodePath(text.substring(start, border)));
        expanded.append(PercentEncoding.encodeQuery(text.substring(border, end)));
    }

    private static void checkSegments(String expanded) {
        int query = expanded.indexOf('?');
        for (String segment : (query < 0 ? expanded : expanded.substring(0, query)).split("/", -1)) {
            // Servers drop parameters of a segment, and decode it, before they look for dots.
            String name = DOT.matcher(segment.split(";", 2)[0]).replaceAll(".");
            if (name.equals(".") || name.equals("..")) {
                throw new UnencodableArgumentException("an argument makes a path segment '" + name + "'");
            }
        }
    }
}
