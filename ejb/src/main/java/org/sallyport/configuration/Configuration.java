package org.sallyport.configuration;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The values of all settings, read once at startup. Immutable. */
public final class Configuration {
    /** Variables of the command-line client, which have the same prefix. */
    private static final Set<String> CLIENT_VARIABLES = Set.of(
            "SALLYPORT_URL",
            "SALLYPORT_KEY",
            "SALLYPORT_JAVA_OPTS",
            "SALLYPORT_CONFIG",
            "SALLYPORT_CA_FILE",
            "SALLYPORT_CLIENT_CERT",
            "SALLYPORT_CLIENT_KEY");

    /** System properties that the resource adapter sets for the container; they are not settings. */
    private static final Set<String> INTERNAL = Set.of("sallyport.node.incarnation");

    private final Map<Setting<?>, Object> values;

    private Configuration(Map<Setting<?>, Object> values) {
        this.values = Map.copyOf(values);
    }

    /** Returns the value of {@code setting}. */
    @SuppressWarnings("unchecked") // put there by its own parser
    public <T> T get(Setting<T> setting) {
        Object value = values.get(setting);
        if (value == null) {
            throw new IllegalArgumentException("not in Settings.all(): " + setting.name());
        }
        return (T) value;
    }

    /** Returns the value of a whole-number setting as an {@code int}; the bounds of its {@link Setting} must fit. */
    public int getInt(Setting<Long> setting) {
        return Math.toIntExact(get(setting));
    }

    /**
     * Reads all settings. A system property takes precedence over an environment variable, and the variable over the
     * default.
     *
     * @throws InvalidConfigurationException naming every unknown and every invalid setting
     */
    public static Configuration read(Map<String, String> properties, Map<String, String> environment) {
        List<String> problems = new ArrayList<>(findUnknown(properties, environment));
        Map<Setting<?>, Object> values = new HashMap<>();
        for (Setting<?> setting : Settings.all()) {
            String text = lookUp(setting, properties, environment);
            try {
                values.put(setting, setting.parser().apply(text == null ? setting.defaultText() : text));
            } catch (IllegalArgumentException e) {
                String shown = setting.secret() ? "" : " '" + text + "'";
                problems.add(
                        setting.name() + " (" + setting.environmentVariable() + ")" + shown + ": " + e.getMessage());
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidConfigurationException(problems);
        }
        return new Configuration(values);
    }

    private static @Nullable String lookUp(
            Setting<?> setting, Map<String, String> properties, Map<String, String> environment) {
        String property = properties.get(setting.name());
        return property != null ? property : environment.get(setting.environmentVariable());
    }

    private static List<String> findUnknown(Map<String, String> properties, Map<String, String> environment) {
        Set<String> names = new HashSet<>();
        Set<String> variables = new HashSet<>(CLIENT_VARIABLES);
        Settings.all().forEach(setting -> {
            names.add(setting.name());
            variables.add(setting.environmentVariable());
        });
        List<String> problems = new ArrayList<>();
        properties.keySet().stream()
                .filter(name -> name.startsWith("sallyport.") && !INTERNAL.contains(name) && !names.contains(name))
                .sorted()
                .forEach(name -> problems.add(name + ": there is no such setting"));
        environment.keySet().stream()
                .filter(name -> name.toUpperCase(Locale.ROOT).startsWith("SALLYPORT_") && !variables.contains(name))
                .sorted()
                .forEach(name -> problems.add(name + ": there is no such setting"));
        return problems;
    }
}
