package org.sallyport.connector;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.sallyport.secret.Redaction;
import org.sallyport.secret.Secret;
import org.sallyport.secret.SecretUnreadableException;
import org.sallyport.tool.Json;

/**
 * Reads values of settings that may hold references: {@code secret:NAME} is the stored secret of that name, and in the
 * installation's file alone {@code env:NAME} a variable of the service's environment. {@code ${secret:NAME}} within a text is
 * replaced where it stands, and in that file {@code ${env:NAME}} and {@code ${file:PATH}}, what is in a file, too. Good for one connection; remembers what to redact.
 */
public final class Secrets {
    private static final String SECRET = "secret:";
    private static final String ENVIRONMENT = "env:";
    private static final String FILE = "file:";
    private static final Pattern WITHIN = Pattern.compile("\\$\\{((?:secret|env|file):[^}]*)}");
    private static final Pattern SHOWN = Pattern.compile("([A-Za-z-]{1,20} )?\\$\\{secret:[A-Za-z0-9_.-]+}");
    private static final Pattern NAMED = Pattern.compile("secret:([A-Za-z][A-Za-z0-9_.-]*)");
    private static final long LARGEST_FILE = 65_536;

    /** What others are shown in the place of a value; sent back, it stands for the value that is there. */
    public static final String MASK = "***";

    private final Sources sources;
    private final List<String> known = new ArrayList<>();

    /**
     * Where values come from.
     *
     * @param stored the value of a stored secret; {@link SecretUnreadableException} when it cannot be had
     * @param environment the value of a variable, or null
     * @param trusted whether variables and files may be referred to
     */
    public record Sources(UnaryOperator<String> stored, UnaryOperator<@Nullable String> environment, boolean trusted) {}

    public Secrets(Sources sources) {
        this.sources = sources;
    }

    /** Whether a value is a reference, which may be shown. */
    public static boolean isReference(String value) {
        return isWhole(value) || SHOWN.matcher(value).matches();
    }

    private static boolean isWhole(String value) {
        // A whole 'file:…' is an address of a database to many programs.
        return value.startsWith(SECRET) || value.startsWith(ENVIRONMENT);
    }

    /** The names of the secrets that settings may refer to. */
    static Set<String> named(Json settings) {
        Set<String> names = new TreeSet<>();
        NAMED.matcher(settings.text()).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    /** Throws {@link InvalidBackendException} when a reference can never lead anywhere, or is not for who configures. */
    public static void check(BackendSettings settings, String name, String value) {
        if (value.equals(MASK)) {
            throw settings.fault(name, "is " + MASK + ", which stands for a value that is not there");
        }
        if (isWhole(value)) {
            checkReference(settings, name, value);
        } else {
            checkWithin(settings, name, value);
        }
    }

    /** As {@link #check}, of a text in which only {@code secret:NAME} and what is between braces is a reference. */
    public static void checkText(BackendSettings settings, String name, String value) {
        if (value.startsWith(SECRET)) {
            checkReference(settings, name, value);
        } else {
            checkWithin(settings, name, value);
        }
    }

    private static void checkWithin(BackendSettings settings, String name, String value) {
        WITHIN.matcher(value).results().forEach(found -> checkReference(settings, name, found.group(1)));
    }

    private static void checkReference(BackendSettings settings, String name, String reference) {
        if (reference.startsWith(SECRET)) {
            if (!Secret.isName(reference.substring(SECRET.length()))) {
                throw settings.fault(
                        name, "must name a secret by a letter and then at most 63 letters, digits, '_', '.' or '-'");
            }
        } else if (!settings.trusted()) {
            throw settings.fault(
                    name,
                    "may refer to the environment and to files in the installation's file alone; use secret:NAME");
        } else if (reference.startsWith(ENVIRONMENT)
                && reference
                        .substring(ENVIRONMENT.length())
                        .toUpperCase(Locale.ROOT)
                        .startsWith("SALLYPORT_")) {
            throw settings.fault(name, "must not refer to a setting of the service itself");
        }
    }

    /** The value that {@code value} refers to, or itself; {@link IllegalStateException} when there is none. */
    public String resolve(String value) {
        String resolved = isWhole(value) ? referred(value) : within(value);
        known.add(resolved);
        return resolved;
    }

    /** A text that is no secret itself, with what it refers to in it. */
    public String resolveText(String text) {
        return text.startsWith(SECRET) ? resolve(text) : within(text);
    }

    private String within(String text) {
        return WITHIN.matcher(text).replaceAll(found -> {
            String value = referred(found.group(1));
            known.add(value);
            return Matcher.quoteReplacement(value);
        });
    }

    private String referred(String reference) {
        if (reference.startsWith(SECRET)) {
            return sources.stored().apply(reference.substring(SECRET.length()));
        }
        if (!sources.trusted()) {
            // Of a time when they were not refused.
            throw new IllegalStateException(
                    "the environment and files may be referred to in the installation's file alone; use secret:NAME");
        }
        return reference.startsWith(ENVIRONMENT)
                ? variable(reference.substring(ENVIRONMENT.length()))
                : file(Path.of(reference.substring(FILE.length())));
    }

    private String variable(String name) {
        String value = sources.environment().apply(name);
        if (value == null) {
            throw new IllegalStateException("the environment variable " + name + " is not set");
        }
        return value;
    }

    private static String file(Path file) {
        try {
            if (Files.size(file) > LARGEST_FILE) {
                throw new IllegalStateException("the file " + file + " has more than " + LARGEST_FILE + " bytes");
            }
            return Files.readString(file).stripTrailing();
        } catch (IOException e) {
            throw new IllegalStateException("the file " + file + " cannot be read", e);
        }
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
