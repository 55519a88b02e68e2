package org.sallyport.connector;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sallyport.catalog.BackendDefinition;
import org.sallyport.tool.Json;

/** Reads a backend's settings, each of the expected kind or with an {@link InvalidBackendException} that names it. */
public final class BackendSettings {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int MAX_TEXT_LENGTH = 32_768;
    private static final int MAX_ITEMS = 1_000;

    private final String path;
    private final ObjectNode json;
    private final boolean trusted;

    private BackendSettings(String path, ObjectNode json, boolean trusted) {
        this.path = path;
        this.json = json;
        this.trusted = trusted;
    }

    /** The settings of a backend, which must be an object. */
    public static BackendSettings of(BackendDefinition definition) {
        return of(definition.settings(), definition.origin() != BackendDefinition.BackendOrigin.API);
    }

    /** Settings that somebody sent at run time. */
    public static BackendSettings of(Json json) {
        return of(json, false);
    }

    private static BackendSettings of(Json json, boolean trusted) {
        try {
            if (JSON.readTree(json.text()) instanceof ObjectNode object) {
                return new BackendSettings("settings", object, trusted);
            }
        } catch (JsonProcessingException e) {
            // Said below, in the same words as another kind of value.
        }
        throw new InvalidBackendException("settings", "must be an object");
    }

    /** Whether they come from the installation's file, whose writer can read the service's environment anyway. */
    public boolean trusted() {
        return trusted;
    }

    /** Refuses members that are not in {@code known}. */
    public void allowOnly(Set<String> known) {
        json.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw new InvalidBackendException(
                        path + "." + name, "is unknown; known are " + String.join(", ", new TreeSet<>(known)));
            }
        });
    }

    /** A text that must be there. */
    public String text(String name) {
        return optionalText(name).orElseThrow(() -> invalid(name, "is missing"));
    }

    public Optional<String> optionalText(String name) {
        return findValue(name).map(value -> text(name, value));
    }

    private String text(String name, JsonNode value) {
        if (!value.isTextual() || value.textValue().isEmpty()) {
            throw invalid(name, "must be a text that is not empty");
        }
        return bounded(name, value.textValue());
    }

    private String bounded(String name, String text) {
        if (text.length() > MAX_TEXT_LENGTH || text.indexOf('\0') >= 0) {
            throw invalid(name, "must have at most " + MAX_TEXT_LENGTH + " characters and no NUL");
        }
        return text;
    }

    public boolean flag(String name, boolean otherwise) {
        return findValue(name)
                .map(value -> {
                    if (!value.isBoolean()) {
                        throw invalid(name, "must be true or false");
                    }
                    return value.booleanValue();
                })
                .orElse(otherwise);
    }

    public int integer(String name, int otherwise, int least, int most) {
        return findValue(name)
                .map(value -> {
                    if (!value.isIntegralNumber()
                            || !value.canConvertToInt()
                            || value.intValue() < least
                            || value.intValue() > most) {
                        throw invalid(name, "must be a whole number from " + least + " to " + most);
                    }
                    return value.intValue();
                })
                .orElse(otherwise);
    }

    public List<String> textList(String name) {
        List<String> texts = new ArrayList<>();
        findValue(name).ifPresent(value -> {
            if (!value.isArray() || value.size() > MAX_ITEMS) {
                throw invalid(name, "must be a list of at most " + MAX_ITEMS + " texts");
            }
            value.forEach(item -> {
                if (!item.isTextual()) {
                    throw invalid(name, "must be a list of texts");
                }
                texts.add(bounded(name, item.textValue()));
            });
        });
        return texts;
    }

    public Map<String, String> textMap(String name) {
        Map<String, String> map = new LinkedHashMap<>();
        findValue(name).ifPresent(value -> {
            if (!value.isObject() || value.size() > MAX_ITEMS) {
                throw invalid(name, "must be an object of at most " + MAX_ITEMS + " texts");
            }
            value.properties().forEach(entry -> {
                if (!entry.getValue().isTextual()) {
                    throw invalid(name + "." + entry.getKey(), "must be a text");
                }
                map.put(
                        entry.getKey(),
                        bounded(name + "." + entry.getKey(), entry.getValue().textValue()));
            });
        });
        return map;
    }

    /** The object under {@code name}. */
    public Optional<BackendSettings> object(String name) {
        return findValue(name).map(value -> {
            if (!(value instanceof ObjectNode object)) {
                throw invalid(name, "must be an object");
            }
            return new BackendSettings(path + "." + name, object, trusted);
        });
    }

    /** The objects under {@code name}, by their names. */
    public Map<String, BackendSettings> objects(String name) {
        Map<String, BackendSettings> objects = new LinkedHashMap<>();
        findValue(name).ifPresent(value -> {
            if (!value.isObject() || value.size() > MAX_ITEMS) {
                throw invalid(name, "must be an object of at most " + MAX_ITEMS + " objects");
            }
            value.properties().forEach(entry -> {
                if (!(entry.getValue() instanceof ObjectNode object)) {
                    throw invalid(name + "." + entry.getKey(), "must be an object");
                }
                objects.put(
                        entry.getKey(), new BackendSettings(path + "." + name + "." + entry.getKey(), object, trusted));
            });
        });
        return objects;
    }

    /** All members, whatever they are. */
    public Map<String, Json> members() {
        Map<String, Json> members = new LinkedHashMap<>();
        json.properties()
                .forEach(entry ->
                        members.put(entry.getKey(), new Json(entry.getValue().toString())));
        return members;
    }

    /** Any JSON value. */
    public Optional<Json> json(String name) {
        return findValue(name).map(value -> new Json(value.toString()));
    }

    private Optional<JsonNode> findValue(String name) {
        return Optional.ofNullable(json.get(name)).filter(value -> !value.isNull());
    }

    /** The exception for a member. */
    public InvalidBackendException invalid(String name, String reason) {
        return new InvalidBackendException(path + "." + name, reason);
    }
}
