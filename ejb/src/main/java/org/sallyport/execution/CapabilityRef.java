package org.sallyport.execution;

import java.util.Optional;

/**
 * The published script that an execution runs.
 *
 * @param name its name; holds no {@code @}
 * @param version its version
 */
public record CapabilityRef(String name, String version) {

    /** Reads what {@link #toString} gives. */
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
