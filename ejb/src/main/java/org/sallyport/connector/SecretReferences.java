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
import org.sallyport.secret.Redactor;
import org.sallyport.secret.Secret;
import org.sallyport.secret.SecretUnreadableException;
import org.sallyport.tool.Json;

/**
 * Reads values of settings that may hold references: {@code secret:NAME} is the stored secret of that name, and in the
 * installation's file alone {@code env:NAME} a variable of the service's environment. {@code ${secret:NAME}} within a text is
 * replaced where it stands, and in that file {@code ${env:NAME}} and {@code ${file:PATH}}, what is in a file, too. Good for one connection; remembers what to redact.
 */
public final class SecretReferences {
    private static final String SECRET_PREFIX = "secret:";
    private static final String ENVIRONMENT_PREFIX = "env:";
    private static final String FILE_PREFIX = "file:";
    private static final Pattern EMBEDDED_REFERENCE = Pattern.compile("\\$\\{((?:secret|env|file):[^}]*)}");
    private static final Pattern SHOWABLE_VALUE = Pattern.compile("([A-Za-z-]{1,20} )?\\$\\{secret:[A-Za-z0-9_.-]+}");
    private static final Pattern SECRET_NAME = Pattern.compile("secret:([A-Za-z][A-Za-z0-9_.-]*)");
    private static final long MAX_FILE_BYTES = 65_536;

    /** What others are shown in the place of a value; sent back, it stands for the value that is there. */
    public static final String MASK = "***";

    private final SecretSources sources;
    private final List<String> resolvedValues = new ArrayList<>();

    /**
     * Where values come from.
     *
     * @param storedSecret the value of a stored secret; {@link SecretUnreadableException} when it cannot be had
     * @param environmentVariable the value of a variable, or null
     * @param trusted whether variables and files may be referred to
     */
    public record SecretSources(
            UnaryOperator<String> storedSecret, UnaryOperator<@Nullable String> environmentVariable, boolean trusted) {}

    public SecretReferences(SecretSources sources) {
        this.sources = sources;
    }

    /** Whether a value is a reference, which may be shown. */
    public static boolean isReference(String value) {
        return isWholeReference(value) || SHOWABLE_VALUE.matcher(value).matches();
    }

    private static boolean isWholeReference(String value) {
        // A whole 'file:…' is an address of a database to many programs.
        return value.startsWith(SECRET_PREFIX) || value.startsWith(ENVIRONMENT_PREFIX);
    }

    /** The names of the secrets that settings may refer to. */
    static Set<String> referencedSecrets(Json settings) {
        Set<String> names = new TreeSet<>();
        SECRET_NAME.matcher(settings.text()).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    /** Throws {@link InvalidBackendException} when a reference can never lead anywhere, or is not for who configures. */
    public static void check(BackendSettings settings, String name, String value) {
        if (value.equals(MASK)) {
            throw settings.invalid(name, "is " + MASK + ", which stands for a value that is not there");
        }
        if (isWholeReference(value)) {
            checkReference(settings, name, value);
        } else {
            checkEmbedded(settings, name, value);
        }
    }

    /** As {@link #check}, of a text in which only {@code secret:NAME} and what is between braces is a reference. */
    public static void checkText(BackendSettings settings, String name, String value) {
        if (value.startsWith(SECRET_PREFIX)) {
            checkReference(settings, name, value);
        } else {
            checkEmbedded(settings, name, value);
        }
    }

    private static void checkEmbedded(BackendSettings settings, String name, String value) {
        EMBEDDED_REFERENCE.matcher(value).results().forEach(found -> checkReference(settings, name, found.group(1)));
    }

    private static void checkReference(BackendSettings settings, String name, String reference) {
        if (reference.startsWith(SECRET_PREFIX)) {
            if (!Secret.isValidName(reference.substring(SECRET_PREFIX.length()))) {
                throw settings.invalid(
                        name, "must name a secret by a letter and then at most 63 letters, digits, '_', '.' or '-'");
            }
        } else if (!settings.trusted()) {
            throw settings.invalid(
                    name,
                    "may refer to the environment and to files in the installation's file alone; use secret:NAME");
        } else if (reference.startsWith(ENVIRONMENT_PREFIX)
                && reference
                        .substring(ENVIRONMENT_PREFIX.length())
                        .toUpperCase(Locale.ROOT)
                        .startsWith("SALLYPORT_")) {
            throw settings.invalid(name, "must not refer to a setting of the service itself");
        }
    }

    /** The value that {@code value} refers to, or itself; {@link IllegalStateException} when there is none. */
    public String resolve(String value) {
        String resolved = isWholeReference(value) ? resolveReference(value) : resolveEmbedded(value);
        resolvedValues.add(resolved);
        return resolved;
    }

    /** A text that is no secret itself, with what it refers to in it. */
    public String resolveText(String text) {
        return text.startsWith(SECRET_PREFIX) ? resolve(text) : resolveEmbedded(text);
    }

    private String resolveEmbedded(String text) {
        return EMBEDDED_REFERENCE.matcher(text).replaceAll(found -> {
            String value = resolveReference(found.group(1));
            resolvedValues.add(value);
            return Matcher.quoteReplacement(value);
        });
    }

    private String resolveReference(String reference) {
        if (reference.startsWith(SECRET_PREFIX)) {
            return sources.storedSecret().apply(reference.substring(SECRET_PREFIX.length()));
        }
        if (!sources.trusted()) {
            // Of a time when they were not refused.
            throw new IllegalStateException(
                    "the environment and files may be referred to in the installation's file alone; use secret:NAME");
        }
        return reference.startsWith(ENVIRONMENT_PREFIX)
                ? readVariable(reference.substring(ENVIRONMENT_PREFIX.length()))
                : readFile(Path.of(reference.substring(FILE_PREFIX.length())));
    }

    private String readVariable(String name) {
        String value = sources.environmentVariable().apply(name);
        if (value == null) {
            throw new IllegalStateException("the environment variable " + name + " is not set");
        }
        return value;
    }

    private static String readFile(Path file) {
        try {
            if (Files.size(file) > MAX_FILE_BYTES) {
                throw new IllegalStateException("the file " + file + " has more than " + MAX_FILE_BYTES + " bytes");
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
    public Redactor redactor() {
        return new Redactor(resolvedValues);
    }
}
