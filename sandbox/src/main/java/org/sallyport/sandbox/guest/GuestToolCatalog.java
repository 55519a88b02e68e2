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
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.sallyport.sandbox.GuestTool;
import org.sallyport.sandbox.ToolNameMap;
import org.sallyport.sandbox.Toolbox;

/** The tool metadata that scripts can query; built on the first query. Thread-safe. */
final class GuestToolCatalog {
    private static final JsonFactory JSON = new JsonFactory();
    private static final int EXACT_NAME_SCORE = 6;
    private static final int PARTIAL_NAME_SCORE = 3;
    private static final int EXACT_WORD_SCORE = 2;
    private static final int PARTIAL_WORD_SCORE = 1;

    private final Toolbox toolbox;
    private final ToolNameMap names;
    private @Nullable CatalogIndex index;

    /** @param byId entries by qualified identifier */
    private record CatalogIndex(String interfaces, List<ToolEntry> entries, Map<String, ToolEntry> byId) {}

    GuestToolCatalog(Toolbox toolbox, ToolNameMap names) {
        this.toolbox = toolbox;
        this.names = names;
    }

    /** Returns a JSON object of all tools, by identifiers of backend and tool. */
    String interfaces() {
        return index().interfaces();
    }

    /**
     * Returns a JSON object that describes one tool, or an empty text.
     *
     * @param name backend and tool separated by a dot, or a tool alone, in the texts of {@link ToolNameMap}
     */
    String interfaceOf(String name) {
        ToolEntry card = findTool(name);
        return card == null ? "" : card.json();
    }

    /** Returns a text that describes one tool, with its declaration; or an empty text. */
    String describe(String name) {
        ToolEntry card = findTool(name);
        return card == null ? "" : card.fullText();
    }

    /** Returns a JSON list of {@code {name, description}} of the tools that match the words, best match first. */
    String search(String words, int limit) {
        Set<String> wanted = words(words);
        Map<ToolEntry, Integer> scores = new HashMap<>();
        for (ToolEntry card : index().entries()) {
            int score = wanted.isEmpty() ? 1 : score(card, wanted);
            if (score > 0) {
                scores.put(card, score);
            }
        }
        Comparator<ToolEntry> bestFirst = Comparator.<ToolEntry>comparingInt(card -> -scores.getOrDefault(card, 0))
                .thenComparing(ToolEntry::qualifiedId);
        return json(generator -> {
            generator.writeStartArray();
            for (ToolEntry card :
                    scores.keySet().stream().sorted(bestFirst).limit(limit).toList()) {
                generator.writeStartObject();
                generator.writeStringField("name", card.qualifiedId());
                generator.writeStringField("description", card.description());
                generator.writeEndObject();
            }
            generator.writeEndArray();
        });
    }

    private static int score(ToolEntry card, Set<String> wanted) {
        Set<String> nameWords = words(card.qualifiedId());
        Set<String> words = words(card.description());
        String name = card.qualifiedId().toLowerCase(Locale.ROOT);
        String description = card.description().toLowerCase(Locale.ROOT);
        int score = 0;
        for (String word : wanted) {
            score += nameWords.contains(word) ? EXACT_NAME_SCORE : name.contains(word) ? PARTIAL_NAME_SCORE : 0;
            score += words.contains(word) ? EXACT_WORD_SCORE : description.contains(word) ? PARTIAL_WORD_SCORE : 0;
        }
        return score;
    }

    /** Splits a text into words in lower case; {@code camelCase} gives two words. */
    private static Set<String> words(String text) {
        Set<String> words = new TreeSet<>();
        for (String word : text.replaceAll("(\\p{Ll})(\\p{Lu})", "$1 $2").split("[^\\p{L}\\p{N}]+")) {
            if (!word.isEmpty()) {
                words.add(word.toLowerCase(Locale.ROOT));
            }
        }
        return words;
    }

    private @Nullable ToolEntry findTool(String name) {
        return names.findGranted(name)
                .flatMap(tool -> Optional.ofNullable(index().byId().get(ToolEntry.qualifiedId(tool))))
                .orElse(null);
    }

    private synchronized CatalogIndex index() {
        CatalogIndex present = index;
        if (present == null) {
            present = buildIndex();
            index = present;
        }
        return present;
    }

    private CatalogIndex buildIndex() {
        Map<String, Map<String, ToolEntry>> cards = new TreeMap<>();
        List<ToolEntry> seen = new ArrayList<>();
        for (GuestTool tool : toolbox.tools()) {
            ToolEntry card = ToolEntry.of(tool);
            seen.add(card);
            cards.computeIfAbsent(card.backendId(), key -> new TreeMap<>()).put(card.toolId(), card);
        }
        Map<String, ToolEntry> byId = new HashMap<>();
        seen.forEach(card -> byId.put(card.qualifiedId(), card));
        return new CatalogIndex(interfaces(cards), List.copyOf(seen), byId);
    }

    private static String interfaces(Map<String, Map<String, ToolEntry>> cards) {
        return json(generator -> {
            generator.writeStartObject();
            for (Map.Entry<String, Map<String, ToolEntry>> backend : cards.entrySet()) {
                generator.writeObjectFieldStart(backend.getKey());
                for (Map.Entry<String, ToolEntry> tool : backend.getValue().entrySet()) {
                    generator.writeFieldName(tool.getKey());
                    generator.writeRawValue(tool.getValue().json());
                }
                generator.writeEndObject();
            }
            generator.writeEndObject();
        });
    }

    private interface JsonWriteAction {
        void writeTo(JsonGenerator generator) throws IOException;
    }

    private static String json(JsonWriteAction writing) {
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JSON.createGenerator(text)) {
            writing.writeTo(generator);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return text.toString();
    }
}
