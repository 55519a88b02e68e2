package org.sallyport.submission;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.sallyport.execution.AdditionalLimit;
import org.sallyport.execution.AdmissionConstraints;
import org.sallyport.execution.Cost;
import org.sallyport.execution.DebugMode;
import org.sallyport.execution.Durability;
import org.sallyport.execution.EffectMode;
import org.sallyport.execution.RetryPolicy;
import org.sallyport.execution.ScriptLanguage;
import org.sallyport.tool.Json;

/** Writes run requests as JSON for storage and reads them back. The members are those of the REST API. Thread-safe. */
public final class RunRequestCodec {
    /** Input was validated at the REST API; the stored form sets no limits of its own and keeps all digits. */
    private static final ObjectMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Integer.MAX_VALUE)
                            .maxNameLength(Integer.MAX_VALUE)
                            .maxNumberLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .build();

    private RunRequestCodec() {}

    /** Returns the JSON of which {@link #read} makes an equal request. */
    public static Json write(RunRequest request) {
        ObjectNode json = MAPPER.createObjectNode();
        Submission options = request.options();
        if (request instanceof RunRequest.CapabilityRun published) {
            json.put("capability", published.call().name());
            published.call().version().ifPresent(version -> json.put("version", version));
            published.call().integrity().ifPresent(hash -> json.put("integrity", hash));
        } else {
            json.put("code", options.code());
            if (options.language() != ScriptLanguage.UNSPECIFIED) {
                json.put("language", options.language().name().toLowerCase(Locale.ROOT));
            }
        }
        putRaw(json, "args", options.args());
        putRaw(json, "context", options.context());
        ObjectNode limits = json.putObject("limits");
        options.limits().wallMillis().ifPresent(limit -> limits.put("wallMillis", limit));
        options.limits().cpuMillis().ifPresent(limit -> limits.put("cpuMillis", limit));
        options.limits().heapBytes().ifPresent(limit -> limits.put("heapBytes", limit));
        options.limits().toolCalls().ifPresent(limit -> limits.put("toolCalls", limit));
        options.limits().outputChars().ifPresent(limit -> limits.put("outputChars", limit));
        options.limits().cost().ifPresent(limit -> limits.put("cost", limit.amount()));
        options.limits().further().forEach((limit, value) -> limits.put(limit.member(), value));
        options.grants().ifPresent(grants -> {
            json.putArray("grants");
            grants.forEach(json.withArray("grants")::add);
        });
        ObjectNode labels = json.putObject("labels");
        options.labels().forEach(labels::put);
        json.put("priority", options.priority());
        json.put("durability", options.durability().text());
        options.intent().ifPresent(intent -> json.put("intent", intent));
        options.callback().ifPresent(url -> json.put("callback", url));
        options.admission().concurrencyKey().ifPresent(key -> json.put("concurrencyKey", key));
        options.admission().retry().ifPresent(policy -> write(policy, json.putObject("retry")));
        if (options.effects() instanceof EffectMode.DryRun dry) {
            json.put("dryRun", true);
            putRaw(json, "fixtures", dry.fixtures());
        }
        return new Json(json.toString());
    }

    private static void write(RetryPolicy policy, ObjectNode json) {
        json.put("attempts", policy.attempts());
        json.put("delayMillis", policy.initialDelay().toMillis());
        json.put("maxDelayMillis", policy.maxDelay().toMillis());
        new TreeSet<>(policy.errorCodes()).forEach(json.putArray("errorCodes")::add);
        json.put("afterWrites", policy.afterWrites());
    }

    private static Optional<RetryPolicy> retry(JsonNode json) {
        return json.isObject()
                ? Optional.of(new RetryPolicy(
                        json.path("attempts").asInt(),
                        Duration.ofMillis(json.path("delayMillis").asLong()),
                        Duration.ofMillis(json.path("maxDelayMillis").asLong()),
                        Set.copyOf(texts(json.path("errorCodes"))),
                        json.path("afterWrites").asBoolean()))
                : Optional.empty();
    }

    private static void putRaw(ObjectNode json, String member, Json value) {
        // Copied as text, so that numbers are not parsed and written again.
        json.putRawValue(member, new RawValue(value.text()));
    }

    /**
     * Reads a stored request.
     *
     * @param labels additional labels for the execution
     */
    static RunRequest read(Json request, Map<String, String> labels) {
        JsonNode json = parse(request);
        Submission options = new Submission(
                        json.path("code").asText(),
                        ScriptLanguage.valueOf(
                                json.path("language").asText("unspecified").toUpperCase(Locale.ROOT)),
                        value(json, "args"),
                        value(json, "context"),
                        limits(json.path("limits")),
                        json.has("grants") ? Optional.of(texts(json.path("grants"))) : Optional.empty(),
                        labels(json.path("labels"), labels),
                        json.path("priority").asInt(),
                        DebugMode.NONE,
                        Durability.of(json.path("durability").asText()),
                        Optional.ofNullable(json.get("intent")).map(JsonNode::asText),
                        Optional.empty())
                .withEffects(
                        json.path("dryRun").asBoolean()
                                ? new EffectMode.DryRun(value(json, "fixtures"))
                                : EffectMode.REAL)
                .withAdmission(AdmissionConstraints.NONE
                        .withConcurrencyKey(text(json, "concurrencyKey"))
                        .withRetry(retry(json.path("retry"))))
                .withCallback(text(json, "callback"));
        return json.has("capability")
                ? new RunRequest.CapabilityRun(new RunCapabilityRequest(
                        json.path("capability").asText(), text(json, "version"), text(json, "integrity"), options))
                : new RunRequest.InlineScriptRun(options);
    }

    private static RequestedLimits limits(JsonNode json) {
        return new RequestedLimits(
                number(json, "wallMillis"),
                number(json, "cpuMillis"),
                number(json, "heapBytes"),
                number(json, "toolCalls"),
                number(json, "outputChars"),
                Optional.ofNullable(json.get("cost"))
                        .map(JsonNode::decimalValue)
                        .map(Cost::of),
                further(json));
    }

    private static Map<AdditionalLimit, Long> further(JsonNode json) {
        Map<AdditionalLimit, Long> further = new EnumMap<>(AdditionalLimit.class);
        for (AdditionalLimit limit : AdditionalLimit.values()) {
            number(json, limit.member()).ifPresent(value -> further.put(limit, value));
        }
        return further;
    }

    private static Optional<Long> number(JsonNode json, String member) {
        return Optional.ofNullable(json.get(member)).map(JsonNode::asLong);
    }

    private static Optional<String> text(JsonNode json, String member) {
        return Optional.ofNullable(json.get(member)).map(JsonNode::asText);
    }

    private static Json value(JsonNode json, String member) {
        JsonNode value = json.get(member);
        return value == null ? Json.NULL : new Json(value.toString());
    }

    private static List<String> texts(JsonNode array) {
        List<String> texts = new ArrayList<>();
        array.forEach(each -> texts.add(each.asText()));
        return texts;
    }

    private static Map<String, String> labels(JsonNode json, Map<String, String> more) {
        Map<String, String> marks = new LinkedHashMap<>();
        json.properties()
                .forEach(each -> marks.put(each.getKey(), each.getValue().asText()));
        marks.putAll(more);
        return marks;
    }

    private static JsonNode parse(Json json) {
        try {
            return MAPPER.readTree(json.text());
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("a stored request is not JSON", e);
        }
    }
}
