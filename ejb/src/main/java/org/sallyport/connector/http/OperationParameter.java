package org.sallyport.connector.http;

/**
 * A parameter of an operation outside of its path.
 *
 * @param name name in the query string, or of the header
 * @param place where the parameter is sent
 * @param value the value; a parameter whose arguments are missing is left out
 */
record OperationParameter(String name, ParameterPlace place, ParameterValue value) {
    enum ParameterPlace {
        QUERY,
        HEADER
    }
}
