package org.sallyport.connector.bean;

import java.util.List;

/** The service cannot start with these beans of the application. */
public final class InvalidBeansException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param problems a sentence for each thing that is wrong, with the class and the method */
    public InvalidBeansException(List<String> problems) {
        super("Sallyport cannot start with these beans (docs/connector-java.md says what they may be):\n  "
                + String.join("\n  ", problems));
    }
}
