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

/**
 * Reads the settings of a backend. A setting of the wrong type causes an {@link InvalidBackendException} that names the
 * setting.
 */
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

    /** Returns the settings of a backend; throws {@link InvalidBackendException} unless they are an object. */
    public static BackendSettings of(BackendDefinition definition) {
        return of(definition.settings(), definition.origin() != BackendDefinition.BackendOrigin.API);
    }

    /** Returns settings that were sent at run time, which are not trusted. */
    public static BackendSettings of(Json json) {
        return of(json, false);
    }

    private static BackendSettings of(Json json, boolean trusted) {
        try {
            if (JSON.readTree(json.text()) instanceof ObjectNode object) {
                return new BackendSettings("settings", object, trusted);
            }
        } catch (JsonProcessingException e) {
            // Reported below with the same message as another type of value.
        }
        throw new InvalidBackendException("settings", "must be an object");
    }

    /**
     * Whether the settings were not sent through the API: they are built in, or come from the installation's file,
     * whose author can read the service's environment anyway.
     */
    public boolean trusted() {
        return trusted;
    }

    /** Throws {@link InvalidBackendException} for members that are not in {@code known}. */
    public void allowOnly(Set<String> known) {
        json.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                throw new InvalidBackendException(
                        path + "." + name, "is unknown; known are " + String.join(", ", new TreeSet<>(known)));
            }
        });
    }

    /** Returns a required text. */
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

    public int integer(String name, int otherwise, int least, int max) {
        return findValue(name)
                .map(value -> {
                    if (!value.isIntegralNumber()
                            || !value.canConvertToInt()
                            || value.intValue() < least
                            || value.intValue() > max) {
                        throw invalid(name, "must be a whole number from " + least + " to " + max);
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
            for (JsonNode item : value) {
                String place = name + "[" + texts.size() + "]";
                if (!item.isTextual()) {
                    throw invalid(place, "must be a text");
                }
                texts.add(bounded(place, item.textValue()));
            }
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

    /** Returns the object {@code name}; empty if it is absent. */
    public Optional<BackendSettings> object(String name) {
        return findValue(name).map(value -> {
            if (!(value instanceof ObjectNode object)) {
                throw invalid(name, "must be an object");
            }
            return new BackendSettings(path + "." + name, object, trusted);
        });
    }

    /** Returns the members of the object {@code name}, each of which must be an object, by name. */
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

    /** Returns all members as JSON. */
    public Map<String, Json> members() {
        Map<String, Json> members = new LinkedHashMap<>();
        json.properties()
                .forEach(entry ->
                        members.put(entry.getKey(), new Json(entry.getValue().toString())));
        return members;
    }

    /** Returns any JSON value; empty if it is absent. */
    public Optional<Json> json(String name) {
        return findValue(name).map(value -> new Json(value.toString()));
    }

    private Optional<JsonNode> findValue(String name) {
        return Optional.ofNullable(json.get(name)).filter(value -> !value.isNull());
    }

    /** Creates the exception for an invalid member. */
    public InvalidBackendException invalid(String name, String reason) {
        return new InvalidBackendException(path + "." + name, reason);
    }
}
