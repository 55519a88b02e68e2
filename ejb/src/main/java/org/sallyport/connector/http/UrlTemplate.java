package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A text with placeholders {@code {name}} for arguments, which are texts, numbers or booleans. */
record UrlTemplate(String text) implements ParameterValue {
    private static final Pattern VARIABLE = Pattern.compile("\\{([A-Za-z0-9_.-]+)}");
    private static final ArgumentFormat LIST = new ArgumentFormat(ParameterStyle.FORM, true, false);

    @Override
    public Set<String> arguments() {
        Set<String> names = new LinkedHashSet<>();
        VARIABLE.matcher(text).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    /** If the whole template is one argument that is a list, there is one value for each item. */
    @Override
    public List<String> queryPairs(String name, JsonNode arguments, RequestLengthLimit limit) {
        Matcher whole = VARIABLE.matcher(text);
        if (whole.matches() && arguments.path(whole.group(1)).isArray()) {
            return LIST.queryPairs(name, arguments.path(whole.group(1)), limit);
        }
        return text(arguments)
                .map(value ->
                        List.of(limit.counted(PercentEncoding.encode(name) + "=" + PercentEncoding.encode(value))))
                .orElse(List.of());
    }

    @Override
    public Optional<String> headerText(JsonNode arguments) {
        return text(arguments).map(value -> RequestLengthLimit.ofHeader().counted(value));
    }

    private Optional<String> text(JsonNode arguments) {
        if (arguments().stream().map(arguments::path).anyMatch(value -> value.isMissingNode() || value.isNull())) {
            return Optional.empty();
        }
        return Optional.of(VARIABLE.matcher(text)
                .replaceAll(found ->
                        Matcher.quoteReplacement(ScalarText.format(arguments.path(found.group(1)), found.group(1)))));
    }
}
