package org.sallyport.connector.bean;

import java.util.List;

/** The service cannot start, because beans of the application or extension jars are invalid. */
public final class InvalidBeansException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param problems a sentence for each fault, with class and method */
    public InvalidBeansException(List<String> problems) {
        super("Sallyport cannot start with these beans (docs/connector-java.md says what they may be):\n  "
                + String.join("\n  ", problems));
    }
}
