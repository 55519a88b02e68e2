package org.sallyport.sandbox.guest;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.Toolbox;

/** What scripts can ask about their tools; built when the first one asks. Thread-safe. */
final class ToolCatalog {
    private static final JsonFactory JSON = new JsonFactory();
    private static final int EXACT_NAME = 6;
    private static final int IN_NAME = 3;
    private static final int EXACT_WORD = 2;
    private static final int IN_DESCRIPTION = 1;

    private final Toolbox toolbox;
    private @Nullable Built built;

    private record Built(String interfaces, List<ToolCard> cards, Map<String, ToolCard> byName) {}

    ToolCatalog(Toolbox toolbox) {
        this.toolbox = toolbox;
    }

    /** JSON object of all tools, by identifiers of backend and tool. */
    String interfaces() {
        return built().interfaces();
    }

    /**
     * JSON object about one tool, or empty.
     *
     * @param name backend and tool with a dot between, each as identifier or by its original name; or a tool's name
     *     alone, which then means the first of that name
     */
    String lookUp(String name) {
        ToolCard card = find(name);
        return card == null ? "" : card.json();
    }

    /** Text about one tool, with its declaration; or empty. */
    String describe(String name) {
        ToolCard card = find(name);
        return card == null ? "" : card.text();
    }

    /** JSON list of {@code {name, description}}, best first, of the tools that fit the words. */
    String search(String words, int limit) {
        Set<String> wanted = words(words);
        Map<ToolCard, Integer> scores = new HashMap<>();
        for (ToolCard card : built().cards()) {
            int score = wanted.isEmpty() ? 1 : score(card, wanted);
            if (score > 0) {
                scores.put(card, score);
            }
        }
        Comparator<ToolCard> bestFirst = Comparator.<ToolCard>comparingInt(card -> -scores.getOrDefault(card, 0))
                .thenComparing(ToolCard::name);
        return json(generator -> {
            generator.writeStartArray();
            for (ToolCard card :
                    scores.keySet().stream().sorted(bestFirst).limit(limit).toList()) {
                generator.writeStartObject();
                generator.writeStringField("name", card.name());
                generator.writeStringField("description", card.description());
                generator.writeEndObject();
            }
            generator.writeEndArray();
        });
    }

    private static int score(ToolCard card, Set<String> wanted) {
        Set<String> nameWords = words(card.name());
        Set<String> words = words(card.description());
        String name = card.name().toLowerCase(Locale.ROOT);
        String description = card.description().toLowerCase(Locale.ROOT);
        int score = 0;
        for (String word : wanted) {
            score += nameWords.contains(word) ? EXACT_NAME : name.contains(word) ? IN_NAME : 0;
            score += words.contains(word) ? EXACT_WORD : description.contains(word) ? IN_DESCRIPTION : 0;
        }
        return score;
    }

    /** Words in lower case; {@code camelCase} is two. */
    private static Set<String> words(String text) {
        Set<String> words = new TreeSet<>();
        for (String word : text.replaceAll("(\\p{Ll})(\\p{Lu})", "$1 $2").split("[^\\p{L}\\p{N}]+")) {
            if (!word.isEmpty()) {
                words.add(word.toLowerCase(Locale.ROOT));
            }
        }
        return words;
    }

    private @Nullable ToolCard find(String name) {
        Map<String, ToolCard> byName = built().byName();
        ToolCard card = byName.get(name);
        if (card == null && (name.startsWith("tools.") || name.startsWith("mcp."))) {
            card = byName.get(name.substring(name.indexOf('.') + 1));
        }
        return card;
    }

    private synchronized Built built() {
        Built present = built;
        if (present == null) {
            present = build();
            built = present;
        }
        return present;
    }

    private Built build() {
        Map<String, Map<String, ToolCard>> cards = new TreeMap<>();
        List<ToolCard> seen = new ArrayList<>();
        for (GuestTool tool : toolbox.tools()) {
            ToolCard card = ToolCard.of(tool);
            seen.add(card);
            cards.computeIfAbsent(card.backendId(), key -> new TreeMap<>()).put(card.toolId(), card);
        }
        List<ToolCard> all = new ArrayList<>(seen);
        toolbox.others().forEach(tool -> all.add(ToolCard.of(tool)));
        Map<String, ToolCard> names = names(all);
        names.values().retainAll(Set.copyOf(seen));
        return new Built(interfaces(cards), List.copyOf(seen), names);
    }

    /** Published identifiers come before original names, and those before a tool's name alone. */
    private static Map<String, ToolCard> names(List<ToolCard> cards) {
        Map<String, ToolCard> names = new HashMap<>();
        cards.forEach(card -> names.putIfAbsent(card.name(), card));
        cards.forEach(card -> names.putIfAbsent(card.backend() + "." + card.tool(), card));
        cards.forEach(card -> names.putIfAbsent(card.backendId() + "." + card.tool(), card));
        cards.forEach(card -> names.putIfAbsent(card.backend() + "." + card.toolId(), card));
        cards.forEach(card -> names.putIfAbsent(card.toolId(), card));
        cards.forEach(card -> names.putIfAbsent(card.tool(), card));
        return names;
    }

    private static String interfaces(Map<String, Map<String, ToolCard>> cards) {
        return json(generator -> {
            generator.writeStartObject();
            for (Map.Entry<String, Map<String, ToolCard>> backend : cards.entrySet()) {
                generator.writeObjectFieldStart(backend.getKey());
                for (Map.Entry<String, ToolCard> tool : backend.getValue().entrySet()) {
                    generator.writeFieldName(tool.getKey());
                    generator.writeRawValue(tool.getValue().json());
                }
                generator.writeEndObject();
            }
            generator.writeEndObject();
        });
    }

    private interface Writing {
        void to(JsonGenerator generator) throws IOException;
    }

    private static String json(Writing writing) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            writing.to(generator);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }
}
