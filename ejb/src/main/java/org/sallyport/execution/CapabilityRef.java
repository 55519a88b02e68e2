package org.sallyport.execution;

import java.util.Optional;

/**
 * Name and version of a published script.
 *
 * @param name its name; contains no {@code @}
 * @param version its version
 */
public record CapabilityRef(String name, String version) {

    /** Parses the form of {@link #toString}; empty for any other text. */
    public static Optional<CapabilityRef> parse(String text) {
        int at = text.indexOf('@');
        return at <= 0 || at == text.length() - 1
                ? Optional.empty()
                : Optional.of(new CapabilityRef(text.substring(0, at), text.substring(at + 1)));
    }

    @Override
    public String toString() {
        return name + "@" + version;
    }
}
