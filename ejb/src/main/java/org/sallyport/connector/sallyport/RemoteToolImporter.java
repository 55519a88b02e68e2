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
import org.sallyport.catalog.ToolCatalog;
import org.sallyport.catalog.ToolDefinition;
import org.sallyport.connector.http.SingleOriginHttpClient;
import org.sallyport.tool.Json;
import org.sallyport.tool.PlainText;
import org.sallyport.tool.ToolHints;

/** Reads the tools and capabilities of a remote installation that belong to the imported namespaces. */
final class RemoteToolImporter {
    private static final int MAX_TOOLS = 2_000;
    private static final int MAX_CAPABILITIES = 500;
    private static final int MAX_PAGES = 100;
    private static final int MAX_NAME_LENGTH = 300;
    private static final int MAX_DESCRIPTION_LENGTH = 20_000;
    private static final int MAX_REASON_LENGTH = 1_000;
    /** Limit for all schemas and descriptions together. */
    private static final long MAX_CHARS = 16_000_000;

    private static final Json ANY_SCHEMA = new Json("{}");

    private final RemoteInstallationClient remote;
    private final ImportedNamespaces namespaces;
    private final SingleOriginHttpClient.AbortableRequest request;
    private final Map<String, ToolDefinition> toolsByRemoteName = new LinkedHashMap<>();
    private int backendToolCount;
    private boolean capabilitiesOmitted;
    private long totalChars;

    /** The remote installation rejects the key, or the key may not list tools. */
    static final class RemoteAccessRefusedException extends IOException {
        private static final long serialVersionUID = 1L;

        RemoteAccessRefusedException(String message) {
            super(message);
        }
    }

    /**
     * The imported tools.
     *
     * @param tools declared by their local names
     * @param incompleteReason why the list is incomplete; empty if it is complete
     */
    record ImportedTools(List<ToolDefinition> tools, Optional<String> incompleteReason) {
        ImportedTools {
            tools = List.copyOf(tools);
        }
    }

    private RemoteToolImporter(
            RemoteInstallationClient there,
            ImportedNamespaces namespaces,
            SingleOriginHttpClient.AbortableRequest request) {
        this.remote = there;
        this.namespaces = namespaces;
        this.request = request;
    }

    /**
     * Imports all tools; if there are too many capabilities, only the first ones. Throws {@link IOException} with the
     * reason if the list is unavailable.
     */
    static ImportedTools importTools(
            RemoteInstallationClient there,
            ImportedNamespaces namespaces,
            SingleOriginHttpClient.AbortableRequest request)
            throws IOException {
        RemoteToolImporter offer = new RemoteToolImporter(there, namespaces, request);
        for (String backend : namespaces.backendNames()) {
            offer.addBackendTools(backend);
        }
        if (!namespaces.capabilityPrefixes().isEmpty()) {
            offer.addCapabilities();
        }
        return new ImportedTools(
                offer.withLocalNames(),
                offer.capabilitiesOmitted
                        ? Optional.of("it offers more than " + MAX_CAPABILITIES
                                + " capabilities; only the first by name are imported: name fewer in"
                                + " 'namespaces'")
                        : Optional.empty());
    }

    private List<ToolDefinition> withLocalNames() {
        Map<String, String> names = namespaces.localNames(toolsByRemoteName.keySet());
        List<ToolDefinition> offered = new ArrayList<>();
        for (ToolDefinition tool : toolsByRemoteName.values()) {
            String name = names.get(tool.originalName());
            if (name != null) {
                offered.add(new ToolDefinition(
                        name,
                        tool.originalName(),
                        tool.description(),
                        tool.inputSchema(),
                        tool.outputSchema(),
                        tool.hints(),
                        tool.unusable()));
            }
        }
        return offered;
    }

    private void addBackendTools(String backend) throws IOException {
        for (JsonNode tool : items(getBody("/tools?backend=" + urlEncode(backend)))) {
            String name = tool.path("name").asText();
            if (name.startsWith(backend + ".")) {
                if (backendToolCount++ >= MAX_TOOLS) {
                    throw new IOException("it offers more than " + MAX_TOOLS + " tools");
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

    private void addCapabilities() throws IOException {
        for (String name : listCapabilityNames()) {
            addCapability(name);
        }
    }

    /**
     * Lists the alphabetically first names, so that each poll imports the same set regardless of the order of the list.
     */
    private SortedSet<String> listCapabilityNames() throws IOException {
        TreeSet<String> names = new TreeSet<>();
        String cursor = "";
        for (int page = 0; page < MAX_PAGES; page++) {
            JsonNode list =
                    getBody("/capabilities?limit=200" + (cursor.isEmpty() ? "" : "&cursor=" + urlEncode(cursor)));
            for (JsonNode each : items(list)) {
                if (isIncluded(each)) {
                    names.add(each.path("name").asText());
                }
                if (names.size() > MAX_CAPABILITIES) {
                    names.pollLast();
                    capabilitiesOmitted = true;
                }
            }
            cursor = list.path("next").asText("");
            if (cursor.isEmpty() || list.path("next").isNull()) {
                return names;
            }
        }
        throw new IOException("its list of capabilities has too many pages");
    }

    private boolean isIncluded(JsonNode capability) {
        String name = capability.path("name").asText();
        return capability.path("stable").isTextual()
                && name.length() + ImportedNamespaces.CAPABILITIES_PREFIX.length() <= MAX_NAME_LENGTH
                && namespaces.capabilityPrefixes().stream().anyMatch(name::startsWith);
    }

    /** Loads one capability, because the list does not contain schemas. */
    private void addCapability(String name) throws IOException {
        RemoteInstallationClient.RemoteResponse answer = get("/capabilities/" + urlEncode(name) + "/versions/stable");
        if (answer.status() == 404) {
            return; // the capability was deprecated after it was listed
        }
        JsonNode version = requireOk(answer);
        if (version.path("name").asText().equals(name)) {
            add(ImportedNamespaces.CAPABILITIES_PREFIX + name, version, ToolHints.EFFECT);
        }
    }

    private void add(String original, JsonNode declared, ToolHints hints) throws IOException {
        String said = declared.path("description").asText();
        String description = said.length() > MAX_DESCRIPTION_LENGTH ? said.substring(0, MAX_DESCRIPTION_LENGTH) : said;
        if (original.length() > MAX_NAME_LENGTH) {
            return; // no installation has such names
        }
        Json input = schema(declared.path("inputSchema")).orElse(ANY_SCHEMA);
        Optional<Json> output = schema(declared.path("outputSchema"));
        Optional<String> unusable = Optional.ofNullable(
                        declared.path("unusable").textValue())
                .map(reason -> PlainText.singleLine(reason, MAX_REASON_LENGTH));
        int longest = Math.max(
                input.text().length(),
                output.map(Json::text).map(String::length).orElse(0));
        if (longest > ToolCatalog.MAX_SCHEMA_LENGTH) {
            input = ANY_SCHEMA;
            output = Optional.empty();
            unusable = Optional.of("a schema of it has more than " + ToolCatalog.MAX_SCHEMA_LENGTH + " characters");
        }
        totalChars += description.length()
                + input.text().length()
                + output.map(Json::text).map(String::length).orElse(0);
        if (totalChars > MAX_CHARS) {
            throw new IOException("its tool definitions have more than " + MAX_CHARS + " characters");
        }
        toolsByRemoteName.put(
                original, new ToolDefinition(original, original, description, input, output, hints, unusable));
    }

    private static Optional<Json> schema(JsonNode schema) {
        return schema.isObject() || schema.isBoolean() ? Optional.of(new Json(schema.toString())) : Optional.empty();
    }

    private JsonNode getBody(String path) throws IOException {
        return requireOk(get(path));
    }

    private RemoteInstallationClient.RemoteResponse get(String path) throws IOException {
        return RemoteInstallationClient.withTimeout(
                RemoteInstallationClient.REQUEST_TIMEOUT, request, () -> remote.get(path, request));
    }

    private static JsonNode requireOk(RemoteInstallationClient.RemoteResponse answer) throws IOException {
        if (answer.status() == 401) {
            throw new RemoteAccessRefusedException("it does not accept the key");
        } else if (answer.status() == 403) {
            throw new RemoteAccessRefusedException("the key may not list the tools: " + answer.failureReason());
        } else if (answer.status() != 200) {
            throw new IOException("its tools could not be listed: it answered with " + answer.failureReason());
        } else if (!answer.body().isObject()) {
            throw new IOException("it does not answer like a Sallyport installation");
        }
        return answer.body();
    }

    private static JsonNode items(JsonNode list) throws IOException {
        if (!list.path("items").isArray()) {
            throw new IOException("it does not answer like a Sallyport installation");
        }
        return list.path("items");
    }

    static String urlEncode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}
