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
import org.sallyport.batch.OnFailure;
import org.sallyport.configuration.BatchSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.NewExecution.Idempotency;
import org.sallyport.submission.BatchRequest;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;

/** Reads what a caller asks to have run together. */
@ApplicationScoped
public class BatchReader {
    private static final Set<String> KNOWN =
            Set.of("items", "defaults", "atomic", "maxParallel", "onFailure", BatchBody.SHARE);
    private static final int MOST_PARALLEL = 100_000;

    @Inject
    Configuration configuration;

    /** What beside the items stands in the address when the body is lines or an array. */
    record Options(
            @Nullable String atomic,
            @Nullable String maxParallel,
            @Nullable String onFailure,
            @Nullable String shareReads) {
        /** Part of what an idempotency key stands for: the same for the same request as ever. */
        @Override
        public String toString() {
            return "Options[atomic=" + atomic + ", maxParallel=" + maxParallel + ", onFailure=" + onFailure
                    + (shareReads == null ? "]" : ", shareReads=" + shareReads + "]");
        }
    }

    /** Takes the body; to be closed when the batch is stored. */
    Spool spool(HttpHeaders headers, InputStream in) {
        isLines(headers.getMediaType());
        return Spool.of(
                in,
                configuration.get(BatchSettings.BODY),
                Path.of(configuration.get(Settings.DATA).toString(), "batches"));
    }

    BatchRequest read(HttpHeaders headers, Options options, Spool body, Optional<String> key) {
        long largest = configuration.get(LimitSettings.BODY);
        int most = configuration.integer(BatchSettings.ITEMS);
        boolean lines = isLines(headers.getMediaType());
        BatchIndex index = lines ? BatchIndex.ofLines(body, largest, most) : BatchIndex.ofJson(body, largest, most);
        boolean bare = lines || index.isBare();
        Members said = new Members(bare ? header(options) : index.header());
        said.allow(KNOWN);
        Optional<Integer> maxParallel = said.whole("maxParallel").map(number -> {
            if (number < 1 || number > MOST_PARALLEL) {
                throw said.fault("maxParallel", "must be from 1 to " + MOST_PARALLEL);
            }
            return number.intValue();
        });
        if (!bare && !index.header().path("items").isArray()) {
            throw said.fault("items", "must be an array of submissions");
        }
        if (!bare
                && index.header().has("defaults")
                && !index.header().path("defaults").isObject()) {
            throw said.fault("defaults", "must be an object");
        }
        ObjectNode defaults =
                index.header().path("defaults") instanceof ObjectNode given ? given : Representation.object();
        String hashed = "batch " + lines + options + body.sha256();
        return new BatchRequest(
                new BatchBody(body, index, defaults, said.flag(BatchBody.SHARE).orElse(false)),
                said.flag("atomic").orElse(false),
                maxParallel,
                onFailure(said),
                key.map(text -> new Idempotency(text, StrictJson.sha256(hashed))));
    }

    private static ObjectNode header(Options options) {
        ObjectNode header = Representation.object();
        if (options.atomic() != null) {
            header.put("atomic", Parameters.flag("atomic", options.atomic()));
        }
        if (options.shareReads() != null) {
            header.put(BatchBody.SHARE, Parameters.flag(BatchBody.SHARE, options.shareReads()));
        }
        if (options.maxParallel() != null) {
            header.put("maxParallel", Parameters.whole("maxParallel", options.maxParallel(), 1, 1, MOST_PARALLEL));
        }
        if (options.onFailure() != null) {
            header.put("onFailure", options.onFailure());
        }
        return header;
    }

    private static OnFailure onFailure(Members said) {
        String name = said.text("onFailure", 20).orElse("continue");
        return switch (name) {
            case "continue", "stop" -> OnFailure.valueOf(name.toUpperCase(Locale.ROOT));
            default -> throw said.fault("onFailure", "must be continue or stop");
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
