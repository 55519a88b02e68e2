package org.sallyport.configuration;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;

/**
 * One setting.
 *
 * @param name name, such as {@code sallyport.port}
 * @param kind form of its values, for people
 * @param defaultText default, as an administrator would write it
 * @param description effect of the setting
 * @param secret whether its value must never be shown
 * @param parser parses a value; throws {@link IllegalArgumentException} with the reason when it is invalid
 */
public record Setting<T>(
        String name, String kind, String defaultText, String description, boolean secret, Function<String, T> parser) {

    /** Returns the environment variable of the setting, by the rule of MicroProfile Config. */
    public String environmentVariable() {
        return name.replaceAll("[^a-zA-Z0-9]", "_").toUpperCase(Locale.ROOT);
    }

    static Setting<String> text(String name, String defaultText, String description) {
        return new Setting<>(name, "text", defaultText, description, false, text -> text);
    }

    static Setting<String> secret(String name, String description) {
        return new Setting<>(name, "secret", "", description, true, text -> text);
    }

    static Setting<Path> path(String name, String defaultText, String description) {
        return new Setting<>(name, "path", defaultText, description, false, Path::of);
    }

    static Setting<String> choice(String name, List<String> choices, String defaultText, String description) {
        return new Setting<>(name, String.join(" \\| ", choices), defaultText, description, false, text -> {
            if (!choices.contains(text)) {
                throw new IllegalArgumentException("must be one of " + String.join(", ", choices));
            }
            return text;
        });
    }

    static Setting<Boolean> flag(String name, boolean defaultValue, String description) {
        Setting<String> choice = choice(name, List.of("true", "false"), Boolean.toString(defaultValue), description);
        return new Setting<>(
                name,
                choice.kind(),
                choice.defaultText(),
                description,
                false,
                text -> choice.parser().apply(text).equals("true"));
    }

    static Setting<Long> number(String name, long least, long max, long defaultValue, String description) {
        String kind = least + "–" + max;
        return new Setting<>(name, kind, Long.toString(defaultValue), description, false, text -> {
            long value;
            try {
                value = Long.parseLong(text.strip());
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("must be a whole number", e);
            }
            if (value < least || value > max) {
                throw new IllegalArgumentException("must be from " + least + " to " + max);
            }
            return value;
        });
    }

    static Setting<Double> fraction(String name, String defaultText, String description) {
        return new Setting<>(name, "0–1", defaultText, description, false, text -> {
            double value;
            try {
                value = Double.parseDouble(text.strip());
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("must be a number", e);
            }
            if (!(value >= 0 && value <= 1)) {
                throw new IllegalArgumentException("must be from 0 to 1");
            }
            return value;
        });
    }

    static Setting<Duration> millis(String name, long least, long max, long defaultMillis, String description) {
        Setting<Long> number = number(name, least, max, defaultMillis, description);
        return new Setting<>(
                name,
                number.kind() + " ms",
                number.defaultText(),
                description,
                false,
                text -> Duration.ofMillis(number.parser().apply(text)));
    }

    /** A map of names to whole numbers from 1 to {@code maxWeight}, such as {@code acme=4}. */
    static Setting<Map<String, Integer>> weights(String name, int maxWeight, String description) {
        return new Setting<>(name, "comma-separated", "", description, false, text -> {
            Map<String, Integer> weights = new LinkedHashMap<>();
            for (String item : text.split(",", -1)) {
                if (!item.isBlank()) {
                    int mark = item.lastIndexOf('=');
                    String key = mark < 0 ? "" : item.substring(0, mark).strip();
                    String weight = item.substring(mark + 1).strip();
                    if (key.isEmpty() || !weight.matches("[1-9][0-9]{0,8}") || Integer.parseInt(weight) > maxWeight) {
                        throw new IllegalArgumentException("'" + item.strip()
                                + "' must have the form 'acme=4', with a number from 1 to " + maxWeight);
                    }
                    weights.put(key, Integer.parseInt(weight));
                }
            }
            return Collections.unmodifiableMap(weights);
        });
    }

    static Setting<List<String>> list(String name, String defaultText, String description) {
        return new Setting<>(
                name,
                "comma-separated",
                defaultText,
                description,
                false,
                text -> Arrays.stream(text.split(",", -1))
                        .map(String::strip)
                        .filter(item -> !item.isEmpty())
                        .toList());
    }
}
