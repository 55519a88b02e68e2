package org.sallyport.connector.http;

/** The body of an operation's requests. */
sealed interface RequestBody {

    /** The operation has no body. */
    record NoRequestBody() implements RequestBody {}

    /** An object of the arguments that are used nowhere else. */
    record RemainingArguments(BodyFormat format) implements RequestBody {}

    /** One argument; no body is sent if it is missing. */
    record BodyArgument(String argument, BodyFormat format) implements RequestBody {}
}
