package org.sallyport.configuration;

import java.util.List;

/** The settings are invalid and the service cannot start. */
public final class InvalidConfigurationException extends RuntimeException {
    public InvalidConfigurationException(List<String> problems) {
        super("Sallyport cannot start with this configuration (docs/configuration.md lists all settings):\n  "
                + String.join("\n  ", problems));
    }
}
