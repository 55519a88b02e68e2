package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One argument as the value of a parameter. An argument that is null counts as missing.
 *
 * @param argument name of the argument
 * @param format how the argument is written
 */
record StyledArgument(String argument, ArgumentFormat format) implements ParameterValue {

    @Override
    public Set<String> arguments() {
        return Set.of(argument);
    }

    @Override
    public List<String> queryPairs(String name, JsonNode arguments, RequestLengthLimit limit) {
        return find(arguments)
                .map(value -> format.queryPairs(name, value, limit))
                .orElse(List.of());
    }

    @Override
    public Optional<String> headerText(JsonNode arguments) {
        return find(arguments).map(value -> format.headerText(argument, value));
    }

    /**
     * Returns the text of the variable {@code name} of a path; throws {@link UnencodableArgumentException} if the
     * argument is missing, or makes a segment empty.
     *
     * @param inQuery whether the variable is behind a {@code ?}
     */
    String pathText(String name, JsonNode arguments, boolean inQuery, RequestLengthLimit limit) {
        return find(arguments)
                .map(value -> format.pathText(name, value, inQuery, limit))
                .orElseThrow(() -> new UnencodableArgumentException("'" + argument + "' is missing"));
    }

    private Optional<JsonNode> find(JsonNode arguments) {
        return Optional.of(arguments.path(argument)).filter(value -> !value.isMissingNode() && !value.isNull());
    }
}
