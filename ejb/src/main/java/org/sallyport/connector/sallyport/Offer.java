package org.sallyport.connector.sallyport;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.sallyport.catalog.Catalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.http.Origin;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolHints;

/** Reads what another installation offers, as far as it is taken over. */
final class Offer {
    private static final int MOST_TOOLS = 2_000;
    private static final int MOST_CAPABILITIES = 500;
    private static final int MOST_PAGES = 100;
    private static final int LONGEST_NAME = 300;
    private static final int LONGEST_DESCRIPTION = 20_000;
    /** Of all schemas and descriptions together. */
    private static final long MOST_CHARS = 16_000_000;

    private static final Json ANYTHING = new Json("{}");

    private final There there;
    private final Namespaces namespaces;
    private final Origin.Request request;
    private final Map<String, ToolDefinition> found = new LinkedHashMap<>();
    private int ofBackends;
    private boolean more;
    private long chars;

    /** The key is not taken, or may not see what there is. */
    static final class RefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RefusedException(String message) {
            super(message);
        }
    }

    /**
     * What was taken over.
     *
     * @param tools with the names that they have here
     * @param lacking why that is not all, if it is not
     */
    record Taken(List<ToolDefinition> tools, Optional<String> lacking) {
        Taken {
            tools = List.copyOf(tools);
        }
    }

    private Offer(There there, Namespaces namespaces, Origin.Request request) {
        this.there = there;
        this.namespaces = namespaces;
        this.request = request;
    }

    /** All of it, but of very many capabilities the first; {@link IOException} says why it is not to be had. */
    static Taken of(There there, Namespaces namespaces, Origin.Request request) throws IOException {
        Offer offer = new Offer(there, namespaces, request);
        for (String backend : namespaces.backends()) {
            offer.tools(backend);
        }
        if (!namespaces.capabilities().isEmpty()) {
            offer.capabilities();
        }
        return new Taken(
                offer.named(),
                offer.more
                        ? Optional.of(
                                "it offers more than " + MOST_CAPABILITIES
                                        + " capabilities, and those that come first by name are taken; name fewer in 'namespaces'")
                        : Optional.empty());
    }

    private List<ToolDefinition> named() {
        Map<String, String> names = namespaces.names(found.keySet());
        List<ToolDefinition> offered = new ArrayList<>();
        for (ToolDefinition tool : found.values()) {
            String name = names.get(tool.original());
            if (name != null) {
                offered.add(new ToolDefinition(
                        name,
                        tool.original(),
                        tool.description(),
                        tool.inputSchema(),
                        tool.outputSchema(),
                        tool.hints()));
            }
        }
        return offered;
    }

    private void tools(String backend) throws IOException {
        for (JsonNode tool : items(ask("/tools?backend=" + encoded(backend)))) {
            String name = tool.path("name").asText();
            if (name.startsWith(backend + ".")) {
                if (ofBackends++ >= MOST_TOOLS) {
                    throw new IOException("it offers more than " + MOST_TOOLS + " tools");
                }
                add(
                        name,
                        tool,
                        new ToolHints(
                                tool.path("readOnly").asBoolean(),
                                tool.path("idempotent").asBoolean(),
                                tool.path("destructive").asBoolean()));
            }
        }
    }

    private void capabilities() throws IOException {
        for (String name : names()) {
            capability(name);
        }
    }

    /** The first ones in their order, so that each look takes the same, however they are listed. */
    private SortedSet<String> names() throws IOException {
        TreeSet<String> names = new TreeSet<>();
        String cursor = "";
        for (int page = 0; page < MOST_PAGES; page++) {
            JsonNode list = ask("/capabilities?limit=200" + (cursor.isEmpty() ? "" : "&cursor=" + encoded(cursor)));
            for (JsonNode each : items(list)) {
                if (isWanted(each)) {
                    names.add(each.path("name").asText());
                }
                if (names.size() > MOST_CAPABILITIES) {
                    names.pollLast();
                    more = true;
                }
            }
            cursor = list.path("next").asText("");
            if (cursor.isEmpty() || list.path("next").isNull()) {
                return names;
            }
        }
        throw new IOException("its list of capabilities has no end");
    }

    private boolean isWanted(JsonNode capability) {
        String name = capability.path("name").asText();
        return capability.path("stable").isTextual()
                && name.length() + Namespaces.CAPABILITIES.length() <= LONGEST_NAME
                && namespaces.capabilities().stream().anyMatch(name::startsWith);
    }

    /** The list does not have the schemas. */
    private void capability(String name) throws IOException {
        There.Answer answer = answer("/capabilities/" + encoded(name) + "/versions/stable");
        if (answer.status() == 404) {
            return; // deprecated since it was listed
        }
        JsonNode version = checked(answer);
        if (version.path("name").asText().equals(name)) {
            add(Namespaces.CAPABILITIES + name, version, ToolHints.EFFECT);
        }
    }

    private void add(String original, JsonNode declared, ToolHints hints) throws IOException {
        String said = declared.path("description").asText();
        String description = said.length() > LONGEST_DESCRIPTION ? said.substring(0, LONGEST_DESCRIPTION) : said;
        Json input = schema(declared.path("inputSchema")).orElse(ANYTHING);
        Optional<Json> output = schema(declared.path("outputSchema"));
        int longest = Math.max(
                input.text().length(),
                output.map(Json::text).map(String::length).orElse(0));
        if (original.length() > LONGEST_NAME || longest > Catalog.LONGEST_SCHEMA) {
            return; // nobody could call it here
        }
        chars += description.length()
                + input.text().length()
                + output.map(Json::text).map(String::length).orElse(0);
        if (chars > MOST_CHARS) {
            throw new IOException("what it says of its tools has more than " + MOST_CHARS + " characters");
        }
        found.put(original, new ToolDefinition(original, original, description, input, output, hints));
    }

    private static Optional<Json> schema(JsonNode schema) {
        return schema.isObject() || schema.isBoolean() ? Optional.of(new Json(schema.toString())) : Optional.empty();
    }

    private JsonNode ask(String path) throws IOException {
        return checked(answer(path));
    }

    private There.Answer answer(String path) throws IOException {
        return There.within(There.LONGEST, request, () -> there.get(path, request));
    }

    private static JsonNode checked(There.Answer answer) throws IOException {
        if (answer.status() == 401) {
            throw new RefusedException("it does not take the key");
        } else if (answer.status() == 403) {
            throw new RefusedException("the key may not see what there is: " + answer.why());
        } else if (answer.status() != 200) {
            throw new IOException("it was asked what it offers, and answered with " + answer.why());
        } else if (!answer.body().isObject()) {
            throw new IOException("it does not answer as an installation of Sallyport does");
        }
        return answer.body();
    }

    private static JsonNode items(JsonNode list) throws IOException {
        if (!list.path("items").isArray()) {
            throw new IOException("it does not answer as an installation of Sallyport does");
        }
        return list.path("items");
    }

    static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
