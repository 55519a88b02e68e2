package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import java.io.InputStream;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.sallyport.auth.Caller;
import org.sallyport.batch.BatchFailurePolicy;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityVersionSummary;
import org.sallyport.configuration.BatchSettings;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.LimitSettings;
import org.sallyport.configuration.ScheduleSettings;
import org.sallyport.execution.NewExecution.IdempotencyKey;
import org.sallyport.submission.BatchRequest;
import org.sallyport.submission.CapabilityRunService;
import org.sallyport.submission.SubmissionResult;
import org.sallyport.submission.rows.CsvArguments;
import org.sallyport.submission.rows.CsvFile;
import org.sallyport.submission.rows.MalformedCsvException;
import org.sallyport.web.ProblemException;
import org.sallyport.web.Sha256Hash;
import org.sallyport.web.async.RequestMemory;

/** Reads the submission of a batch. */
@ApplicationScoped
public class BatchReader {
    private static final List<String> CAPABILITY_MEMBERS = List.of("capability", "version", "integrity");
    private static final Set<String> KNOWN_MEMBERS = Set.of(
            "items",
            "defaults",
            "atomic",
            "coalesce",
            "maxParallel",
            "onFailure",
            BatchBodyReader.SHARE_READS,
            "capability",
            "version",
            "integrity");
    static final int MAX_PARALLEL = 100_000;
    private static final int MAX_NAME_LENGTH = 200;
    /** The columns of rows of a capability whose schema names no arguments. */
    static final List<String> ROW_COLUMNS = List.of("args");

    @Inject
    Configuration configuration;

    @Inject
    CapabilityRunService capabilities;

    @Inject
    RequestMemory memory;

    @Inject
    SpoolDirectory spoolDirectory;

    /** Spools the body; it must be closed when the batch is stored. */
    SpooledBody spool(Caller caller, InputStream in) {
        return SpooledBody.of(in, configuration.get(BatchSettings.MAX_BODY_BYTES), spoolDirectory, caller.tenant());
    }

    /** Spools a file of rows of a schedule; it must be closed when it is stored. */
    SpooledBody spoolRows(Caller caller, InputStream in) {
        return SpooledBody.of(
                in,
                configuration.get(ScheduleSettings.MAX_ROWS_BYTES),
                ScheduleSettings.MAX_ROWS_BYTES.name(),
                spoolDirectory,
                caller.tenant());
    }

    /** A body for rows that are stored; the caller fills and closes it. */
    SpooledBody emptyBody() {
        return SpooledBody.empty(spoolDirectory);
    }

    /**
     * Checks the options of a batch of rows.
     *
     * @param said members of {@link RowOptions}
     * @throws ProblemException if an option is invalid, or there is no such capability
     */
    void checkRowOptions(Caller caller, JsonMembers said) {
        findCapability(caller, said);
        maxParallel(said);
        onFailure(said);
        List.of("atomic", "coalesce", BatchBodyReader.SHARE_READS).forEach(said::flag);
    }

    /**
     * The key of a request with the hash of its options and its body. Reads the whole body.
     *
     * @param options the options that are not in the body
     * @throws ProblemException if the body is not JSON although its format says so
     */
    IdempotencyKey idempotencyKey(BatchFormat format, BatchOptions options, SpooledBody body, String key) {
        String hashed = "batch " + format.hashedName() + options.fingerprint()
                + BatchFingerprint.of(format, body, limits(), memory::reserve);
        return new IdempotencyKey(key, Sha256Hash.of(hashed));
    }

    /**
     * Reads a batch.
     *
     * @param options the options that are not in the body
     */
    BatchRequest read(
            Caller caller,
            BatchFormat format,
            BatchOptions options,
            SpooledBody body,
            Optional<IdempotencyKey> idempotency) {
        if (format == BatchFormat.CSV
                || (format == BatchFormat.LINES && options.namesCapability())
                || format == BatchFormat.ROWS) {
            return readRows(caller, format, options, body, idempotency);
        }
        return readSubmissions(caller, format, options, body, idempotency);
    }

    private BatchRequest readSubmissions(
            Caller caller,
            BatchFormat format,
            BatchOptions options,
            SpooledBody body,
            Optional<IdempotencyKey> idempotency) {
        BatchItemIndex index = format == BatchFormat.LINES
                ? BatchItemIndex.ofLines(body, limits(), memory::reserve)
                : BatchItemIndex.ofJson(body, limits(), memory::reserve);
        boolean bare = format == BatchFormat.LINES || index.isTopLevelArray();
        ObjectNode header = bare ? options.toMembers() : index.header();
        JsonMembers said = new JsonMembers(header);
        if (options.namesCapability()) {
            throw said.invalidMember(
                    "capability",
                    "in the query is for rows, as text/csv or application/x-ndjson; in JSON it is a member");
        }
        if (!bare && !header.path("items").isArray()) {
            throw said.invalidMember("items", "must be an array of submissions");
        }
        if (!bare && header.has("defaults") && !header.path("defaults").isObject()) {
            throw said.invalidMember("defaults", "must be an object");
        }
        ObjectNode defaults = header.path("defaults") instanceof ObjectNode given ? given : ExecutionMapper.object();
        Optional<Capability> named = Optional.empty();
        if (CAPABILITY_MEMBERS.stream().anyMatch(header::has)) {
            if (BatchBodyReader.namesScript(defaults)) {
                throw said.invalidMember("capability", "does not go with a script in 'defaults'");
            }
            Capability capability = findCapability(caller, said);
            CAPABILITY_MEMBERS.stream().filter(header::has).forEach(member -> defaults.set(member, header.get(member)));
            defaults.put("version", capability.ref().version());
            named = Optional.of(capability);
        } else if (defaults.path("capability").isTextual()) {
            // If there is none, each item that needs it is refused.
            named = capabilities.find(
                    caller.tenant(),
                    defaults.path("capability").textValue(),
                    defaults.path("version").asText(CapabilityVersionSummary.STABLE));
            named.ifPresent(
                    capability -> defaults.put("version", capability.ref().version()));
        }
        return request(said, IndexedItemDocuments.submissions(body, index), defaults, named, List.of(), idempotency);
    }

    /** Reads rows that are the arguments of one capability. */
    private BatchRequest readRows(
            Caller caller,
            BatchFormat format,
            BatchOptions options,
            SpooledBody body,
            Optional<IdempotencyKey> idempotency) {
        ObjectNode header = options.toMembers();
        JsonMembers said = new JsonMembers(header);
        Capability capability = findCapability(caller, said);
        ObjectNode defaults = ExecutionMapper.object();
        CAPABILITY_MEMBERS.stream().filter(header::has).forEach(member -> defaults.set(member, header.get(member)));
        defaults.put("version", capability.ref().version());
        if (!options.labels().isEmpty()) {
            options.labels().forEach(defaults.putObject("labels")::put);
        }
        if (format != BatchFormat.CSV) {
            List<String> names = CsvArguments.namesIn(capability.definition().inputSchema());
            return request(
                    said,
                    IndexedItemDocuments.arguments(
                            body, BatchItemIndex.ofLines(body, limits(), memory::reserve), format == BatchFormat.LINES),
                    defaults,
                    Optional.of(capability),
                    names.isEmpty() ? ROW_COLUMNS : names,
                    idempotency);
        }
        try {
            LargestItemMemory rowMemory = new LargestItemMemory(memory::reserve);
            int maxRowChars = (int) Math.min(maxItemBytes(), Integer.MAX_VALUE / 4);
            CsvFile file = new CsvFile(body::read, maxRowChars, rowMemory::reserve);
            CsvArguments arguments =
                    new CsvArguments(file.columns(), capability.definition().inputSchema());
            return request(
                    said,
                    new CsvItemDocuments(file, arguments, maxItems(), maxItemBytes(), rowMemory),
                    defaults,
                    Optional.of(capability),
                    file.columns(),
                    idempotency);
        } catch (MalformedCsvException e) {
            throw CsvItemDocuments.malformed(e);
        }
    }

    private BatchBodyLimits limits() {
        return new BatchBodyLimits(maxItemBytes(), maxItems(), KNOWN_MEMBERS);
    }

    private long maxItemBytes() {
        return configuration.get(LimitSettings.MAX_BODY_BYTES);
    }

    private int maxItems() {
        return configuration.getInt(BatchSettings.MAX_ITEMS);
    }

    /** The capability that the batch names for all its items. */
    private Capability findCapability(Caller caller, JsonMembers said) {
        String name = said.text("capability", MAX_NAME_LENGTH)
                .orElseThrow(() -> said.invalidMember("capability", "is missing: it says which capability to run"));
        Optional<String> version = said.text("version", MAX_NAME_LENGTH);
        Capability capability = capabilities
                .find(caller.tenant(), name, version.orElse(CapabilityVersionSummary.STABLE))
                .orElseThrow(() -> refusal(new SubmissionResult.CapabilityVersionNotFound(name, version)));
        capabilities
                .integrityMismatch(capability, said.text("integrity", MAX_NAME_LENGTH))
                .ifPresent(mismatch -> {
                    throw refusal(mismatch);
                });
        return capability;
    }

    private static ProblemException refusal(SubmissionResult result) {
        return new ProblemException(SubmissionProblems.toProblem(result));
    }

    private static BatchRequest request(
            JsonMembers said,
            BatchItemDocuments documents,
            ObjectNode defaults,
            Optional<Capability> capability,
            List<String> columns,
            Optional<IdempotencyKey> idempotency) {
        return new BatchRequest(
                new BatchBodyReader(
                        documents,
                        defaults,
                        said.flag(BatchBodyReader.SHARE_READS).orElse(false)),
                capability.map(Capability::ref),
                columns,
                said.flag("atomic").orElse(false),
                said.flag("coalesce").orElse(false),
                maxParallel(said),
                onFailure(said),
                idempotency);
    }

    private static Optional<Integer> maxParallel(JsonMembers said) {
        return said.longValue("maxParallel").map(number -> {
            if (number < 1 || number > MAX_PARALLEL) {
                throw said.invalidMember("maxParallel", "must be from 1 to " + MAX_PARALLEL);
            }
            return number.intValue();
        });
    }

    private static BatchFailurePolicy onFailure(JsonMembers said) {
        String name = said.text("onFailure", 20).orElse("continue");
        return switch (name) {
            case "continue", "stop" -> BatchFailurePolicy.valueOf(name.toUpperCase(Locale.ROOT));
            default -> throw said.invalidMember("onFailure", "must be continue or stop");
        };
    }
}
