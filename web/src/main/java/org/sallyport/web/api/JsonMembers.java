package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sallyport.tool.Json;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Reads members of a JSON object. A member of the wrong type is a problem that names it. */
public final class JsonMembers {
    private static final int MAX_NAMED = 10;

    private final String prefix;
    private final ObjectNode json;

    public JsonMembers(ObjectNode json) {
        this("", json);
    }

    private JsonMembers(String prefix, ObjectNode json) {
        this.prefix = prefix;
        this.json = json;
    }

    /** Refuses members that are not in {@code known}, with a problem that names the first of them. */
    public void rejectUnknown(Set<String> known) {
        Set<String> unknown = new TreeSet<>();
        json.fieldNames().forEachRemaining(name -> {
            if (!known.contains(name)) {
                unknown.add(prefix + abbreviate(name));
            }
        });
        if (!unknown.isEmpty()) {
            throw unknownMembers(unknown, known);
        }
    }

    /** The problem that an object has members that are not in {@code known}; it names a few of them. */
    static ProblemException unknownMembers(Set<String> unknown, Set<String> known) {
        List<String> named = unknown.stream().sorted().limit(MAX_NAMED).toList();
        int others = unknown.size() - named.size();
        return new ProblemException(Problem.of(
                ProblemType.VALIDATION,
                "unknown member" + (unknown.size() == 1 ? " " : "s ") + String.join(", ", named)
                        + (others == 0 ? "" : " and " + others + " more") + "; known are "
                        + String.join(", ", new TreeSet<>(known)),
                members -> named.forEach(members.withArray("members")::add)));
    }

    static String abbreviate(String name) {
        return name.length() > 60 ? name.substring(0, 60) + "…" : name;
    }

    /** Whether the member is present and not null. */
    boolean has(String name) {
        return present(name).isPresent();
    }

    public Optional<String> text(String name, int longest) {
        return present(name).map(value -> {
            if (!value.isTextual()) {
                throw invalidMember(name, "must be text");
            }
            if (value.textValue().length() > longest) {
                throw invalidMember(name, "must have at most " + longest + " characters");
            }
            return value.textValue();
        });
    }

    public Optional<Long> longValue(String name) {
        return present(name).map(value -> {
            if (!value.isIntegralNumber() || !value.canConvertToLong()) {
                throw invalidMember(name, "must be a whole number");
            }
            return value.longValue();
        });
    }

    public Optional<BigDecimal> number(String name) {
        return present(name).map(value -> {
            if (!value.isNumber()) {
                throw invalidMember(name, "must be a number");
            }
            return value.decimalValue();
        });
    }

    public Optional<Boolean> flag(String name) {
        return present(name).map(value -> {
            if (!value.isBoolean()) {
                throw invalidMember(name, "must be true or false");
            }
            return value.booleanValue();
        });
    }

    Optional<JsonMembers> object(String name) {
        return present(name).map(value -> {
            if (value instanceof ObjectNode object) {
                return new JsonMembers(prefix + name + ".", object);
            }
            throw invalidMember(name, "must be an object");
        });
    }

    /** Any JSON value, as text; empty if absent or null. */
    Optional<Json> json(String name) {
        return Optional.ofNullable(json.get(name)).map(value -> new Json(value.toString()));
    }

    public Optional<List<String>> texts(String name, int maxItems, int longest) {
        return present(name).map(value -> {
            if (!value.isArray()) {
                throw invalidMember(name, "must be an array of texts");
            }
            if (value.size() > maxItems) {
                throw invalidMember(name, "must have at most " + maxItems + " items");
            }
            List<String> texts = new ArrayList<>();
            for (JsonNode item : value) {
                if (!item.isTextual()
                        || item.textValue().isEmpty()
                        || item.textValue().length() > longest) {
                    throw invalidMember(name, "must hold texts of 1 to " + longest + " characters");
                }
                texts.add(item.textValue());
            }
            return texts;
        });
    }

    Map<String, String> map(String name, int maxMembers, int longest) {
        Map<String, String> map = new LinkedHashMap<>();
        object(name)
                .ifPresent(members -> members.json.properties().forEach(entry -> {
                    JsonNode value = entry.getValue();
                    if (!value.isTextual()
                            || entry.getKey().isEmpty()
                            || entry.getKey().length() > longest
                            || value.textValue().length() > longest) {
                        throw invalidMember(name, "must map texts to texts of at most " + longest + " characters");
                    }
                    map.put(entry.getKey(), value.textValue());
                }));
        if (map.size() > maxMembers) {
            throw invalidMember(name, "must have at most " + maxMembers + " members");
        }
        return map;
    }

    /** The problem with a member. */
    public ProblemException invalidMember(String name, String reason) {
        return new ProblemException(Problem.of(
                ProblemType.VALIDATION,
                "'" + prefix + name + "' " + reason,
                members -> members.put("member", prefix + name)));
    }

    /** The member if it is present and not null: null counts as absent. */
    private Optional<JsonNode> present(String name) {
        JsonNode value = json.get(name);
        return value == null || value.isNull() ? Optional.empty() : Optional.of(value);
    }
}
