package org.sallyport.connector.http;

import java.util.Arrays;
import java.util.Optional;

/** How an argument is written at its place in a request; named as OpenAPI names the expansions of RFC 6570. */
enum ParameterStyle {
    /** A text, a number or a boolean alone; lists and objects are refused. */
    SCALAR(""),
    SIMPLE("simple"),
    LABEL("label"),
    MATRIX("matrix"),
    FORM("form"),
    SPACE_DELIMITED("spaceDelimited"),
    PIPE_DELIMITED("pipeDelimited"),
    DEEP_OBJECT("deepObject"),
    /** The argument as JSON text. */
    JSON("");

    private final String openApiName;

    ParameterStyle(String openApiName) {
        this.openApiName = openApiName;
    }

    /** Returns the style with this name in OpenAPI documents; empty if there is none. */
    static Optional<ParameterStyle> of(String openApiName) {
        return Arrays.stream(values())
                .filter(style -> !openApiName.isEmpty() && style.openApiName.equals(openApiName))
                .findFirst();
    }
}
