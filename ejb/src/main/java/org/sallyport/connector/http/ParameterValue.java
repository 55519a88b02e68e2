package org.sallyport.connector.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The value of a parameter in the query or in a header, made of arguments. */
sealed interface ParameterValue permits StyledArgument, UrlTemplate {

    /** The arguments that the value is made of. */
    Set<String> arguments();

    /** Returns the parts {@code name=value} of the query string; none if an argument is missing. */
    List<String> queryPairs(String name, JsonNode arguments, RequestLengthLimit limit);

    /** Returns the text of a header; empty if an argument is missing. */
    Optional<String> headerText(JsonNode arguments);
}
