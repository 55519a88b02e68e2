package org.sallyport.connector;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Reads values of settings that may be references: {@code env:NAME} is the environment variable of that name. */
public final class Secrets {
    private static final String ENVIRONMENT = "env:";

    /** What others are shown in the place of a value; sent back, it stands for the value that is there. */
    public static final String MASK = "***";

    private final UnaryOperator<@Nullable String> environment;
    private final List<String> known = new ArrayList<>();

    /** @param environment the value of a variable, or null */
    public Secrets(UnaryOperator<@Nullable String> environment) {
        this.environment = environment;
    }

    /** Whether a value is a reference, which may be shown. */
    public static boolean isReference(String value) {
        return value.startsWith(ENVIRONMENT) || value.startsWith("secret:");
    }

    /** Throws {@link InvalidBackendException} when a reference can never lead anywhere. */
    public static void check(BackendSettings settings, String name, String value) {
        if (value.startsWith("secret:")) {
            throw settings.fault(name, "refers to a secret, and there is no store of secrets yet; use env:NAME");
        }
        if (value.startsWith(ENVIRONMENT)
                && value.substring(ENVIRONMENT.length())
                        .toUpperCase(Locale.ROOT)
                        .startsWith("SALLYPORT_")) {
            throw settings.fault(name, "must not refer to a setting of the service itself");
        }
        if (value.equals(MASK)) {
            throw settings.fault(name, "is " + MASK + ", which stands for a value that is not there");
        }
    }

    /** The value that {@code value} refers to, or itself; {@link IllegalStateException} when there is none. */
    public String resolve(String value) {
        String resolved = value;
        if (value.startsWith(ENVIRONMENT)) {
            String name = value.substring(ENVIRONMENT.length());
            resolved = environment.apply(name);
            if (resolved == null) {
                throw new IllegalStateException("the environment variable " + name + " is not set");
            }
        }
        known.add(resolved);
        return resolved;
    }

    /** Each value resolved. */
    public Map<String, String> resolve(Map<String, String> values) {
        Map<String, String> resolved = new LinkedHashMap<>();
        values.forEach((name, value) -> resolved.put(name, resolve(value)));
        return resolved;
    }

    /** Hides everything that was resolved. */
    public Redaction redaction() {
        return new Redaction(known);
    }
}
