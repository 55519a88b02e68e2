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
import org.sallyport.redaction.Redactor;
import org.sallyport.secrets.Secret;
import org.sallyport.secrets.SecretUnreadableException;
import org.sallyport.tool.Json;

/**
 * Resolves references in the values of settings. {@code secret:NAME} is the stored secret of that name. In the
 * installation's file only, {@code env:NAME} is a variable of the service's environment. Within a text,
 * {@code ${secret:NAME}} is replaced in place; in that file also {@code ${env:NAME}} and {@code ${file:PATH}}, the
 * content of a file. An instance serves one connection and records the resolved values for redaction.
 */
public final class SecretReferences {
    private static final String SECRET_PREFIX = "secret:";
    private static final String ENVIRONMENT_PREFIX = "env:";
    private static final String FILE_PREFIX = "file:";
    private static final Pattern EMBEDDED_REFERENCE = Pattern.compile("\\$\\{((?:secret|env|file):[^}]*)}");
    private static final Pattern SHOWABLE_VALUE = Pattern.compile("([A-Za-z-]{1,20} )?\\$\\{secret:[A-Za-z0-9_.-]+}");
    private static final Pattern SECRET_NAME = Pattern.compile("secret:([A-Za-z][A-Za-z0-9_.-]*)");
    private static final long MAX_FILE_BYTES = 65_536;

    /** Shown in place of a secret value; when a client sends it back, the stored value is kept. */
    public static final String MASK = "***";

    private final SecretSources sources;
    private final List<String> resolvedValues = new ArrayList<>();

    /**
     * Sources of referenced values.
     *
     * @param storedSecret returns the value of a stored secret; throws {@link SecretUnreadableException} if it is
     *     unavailable
     * @param environmentVariable returns the value of a variable, or null
     * @param trusted whether variables and files may be referenced
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
        // A value of the form 'file:…' is a database address for many programs, so that it is not a reference.
        return value.startsWith(SECRET_PREFIX) || value.startsWith(ENVIRONMENT_PREFIX);
    }

    /** Returns the names of the secrets that settings may refer to. */
    static Set<String> referencedSecrets(Json settings) {
        Set<String> names = new TreeSet<>();
        SECRET_NAME.matcher(settings.text()).results().forEach(found -> names.add(found.group(1)));
        return names;
    }

    /**
     * Throws {@link InvalidBackendException} if a reference is invalid, or is not allowed to the author of the
     * settings.
     */
    public static void check(BackendSettings settings, String name, String value) {
        if (value.equals(MASK)) {
            throw settings.invalid(name, "is " + MASK + ", which stands for a stored value, but none is stored");
        }
        if (isWholeReference(value)) {
            checkReference(settings, name, value);
        } else {
            checkEmbedded(settings, name, value);
        }
    }

    /** Like {@link #check}, for a text in which only {@code secret:NAME} and expressions in braces are references. */
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
                    "may refer to environment variables and files only in the installation's backends file; use"
                            + " secret:NAME");
        } else if (reference.startsWith(ENVIRONMENT_PREFIX)
                && reference
                        .substring(ENVIRONMENT_PREFIX.length())
                        .toUpperCase(Locale.ROOT)
                        .startsWith("SALLYPORT_")) {
            throw settings.invalid(name, "must not refer to a setting of the service itself");
        }
    }

    /**
     * Returns the value that {@code value} refers to, or {@code value} itself if it is not a reference; throws
     * {@link IllegalStateException} if the referenced value does not exist.
     */
    public String resolve(String value) {
        String resolved = isWholeReference(value) ? resolveReference(value) : resolveEmbedded(value);
        resolvedValues.add(resolved);
        return resolved;
    }

    /** Returns a text with its references replaced. The text itself is not a secret. */
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
            // The settings were stored before such references were rejected.
            throw new IllegalStateException(
                    "only the installation's backends file may refer to environment variables and files; use"
                            + " secret:NAME");
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

    /** Resolves each value. */
    public Map<String, String> resolve(Map<String, String> values) {
        Map<String, String> resolved = new LinkedHashMap<>();
        values.forEach((name, value) -> resolved.put(name, resolve(value)));
        return resolved;
    }

    /** Returns a redactor of all values resolved so far. */
    public Redactor redactor() {
        return new Redactor(resolvedValues);
    }
}
