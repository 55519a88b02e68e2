package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.ws.rs.core.HttpHeaders;
import jakarta.ws.rs.core.MediaType;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.configuration.BatchSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.submission.BatchRequest;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Reads the submission of a batch. */
@ApplicationScoped
public class BatchReader {
    private static final Set<String> KNOWN_MEMBERS =
            Set.of("items", "defaults", "atomic", "maxParallel", "onFailure", BatchBodyReader.SHARE_READS);
    private static final int MAX_PARALLEL = 100_000;

    @Inject
    Configuration configuration;

    /** Batch options that come as query parameters, because the body is an array or lines. */
    record BatchOptions(
            @Nullable String atomic,
            @Nullable String maxParallel,
            @Nullable String onFailure,
            @Nullable String shareReads) {
        /** Part of the request hash of an idempotency key, so its format must never change for the same request. */
        @Override
        public String toString() {
            return "Options[atomic=" + atomic + ", maxParallel=" + maxParallel + ", onFailure=" + onFailure
                    + (shareReads == null ? "]" : ", shareReads=" + shareReads + "]");
        }
    }

    /** Spools the body; the caller closes it when the batch is stored. */
    SpooledBody spool(HttpHeaders headers, InputStream in) {
        isLines(headers.getMediaType());
        return SpooledBody.of(
                in,
                configuration.get(BatchSettings.MAX_BODY_BYTES),
                Path.of(configuration.get(Settings.DATA).toString(), "batches"));
    }

    BatchRequest read(HttpHeaders headers, BatchOptions options, SpooledBody body, Optional<String> key) {
        long largest = configuration.get(LimitSettings.MAX_BODY_BYTES);
        int maxItems = configuration.getInt(BatchSettings.MAX_ITEMS);
        boolean lines = isLines(headers.getMediaType());
        BatchItemIndex index = lines
                ? BatchItemIndex.ofLines(body, largest, maxItems)
                : BatchItemIndex.ofJson(body, largest, maxItems);
        boolean bare = lines || index.isTopLevelArray();
        JsonMembers said = new JsonMembers(bare ? header(options) : index.header());
        said.rejectUnknown(KNOWN_MEMBERS);
        Optional<Integer> maxParallel = said.longValue("maxParallel").map(number -> {
            if (number < 1 || number > MAX_PARALLEL) {
                throw said.invalidMember("maxParallel", "must be from 1 to " + MAX_PARALLEL);
            }
            return number.intValue();
        });
        if (!bare && !index.header().path("items").isArray()) {
            throw said.invalidMember("items", "must be an array of submissions");
        }
        if (!bare
                && index.header().has("defaults")
                && !index.header().path("defaults").isObject()) {
            throw said.invalidMember("defaults", "must be an object");
        }
        ObjectNode defaults =
                index.header().path("defaults") instanceof ObjectNode given ? given : ExecutionMapper.object();
        String hashed = "batch " + lines + options + body.sha256();
        return new BatchRequest(
                new BatchBodyReader(
                        body,
                        index,
                        defaults,
                        said.flag(BatchBodyReader.SHARE_READS).orElse(false)),
                said.flag("atomic").orElse(false),
                maxParallel,
                onFailure(said),
                key.map(text -> new IdempotencyKey(text, StrictJsonReader.sha256(hashed))));
    }

    private static ObjectNode header(BatchOptions options) {
        ObjectNode header = ExecutionMapper.object();
        if (options.atomic() != null) {
            header.put("atomic", RequestParameters.flag("atomic", options.atomic()));
        }
        if (options.shareReads() != null) {
            header.put(
                    BatchBodyReader.SHARE_READS,
                    RequestParameters.flag(BatchBodyReader.SHARE_READS, options.shareReads()));
        }
        if (options.maxParallel() != null) {
            header.put(
                    "maxParallel",
                    RequestParameters.longInRange("maxParallel", options.maxParallel(), 1, 1, MAX_PARALLEL));
        }
        if (options.onFailure() != null) {
            header.put("onFailure", options.onFailure());
        }
        return header;
    }

    private static BatchFailurePolicy onFailure(JsonMembers said) {
        String name = said.text("onFailure", 20).orElse("continue");
        return switch (name) {
            case "continue", "stop" -> BatchFailurePolicy.valueOf(name.toUpperCase(Locale.ROOT));
            default -> throw said.invalidMember("onFailure", "must be continue or stop");
        };
    }

    private static boolean isLines(@Nullable MediaType type) {
        if (type != null
                && "application".equalsIgnoreCase(type.getType())
                && "utf-8".equalsIgnoreCase(type.getParameters().getOrDefault("charset", "utf-8"))) {
            if ("x-ndjson".equalsIgnoreCase(type.getSubtype())) {
                return true;
            } else if ("json".equalsIgnoreCase(type.getSubtype())) {
                return false;
            }
        }
        throw new ProblemException(
                ProblemType.UNSUPPORTED_MEDIA_TYPE,
                "send 'Content-Type: application/json' or 'application/x-ndjson', in UTF-8, not " + type);
    }
}
