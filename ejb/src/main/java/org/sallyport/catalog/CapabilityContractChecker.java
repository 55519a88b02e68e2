package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.Collections;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.WeakHashMap;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.JsonSchemaValidator;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.capability.UsedTool;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.Journal;
import org.sallyport.tool.Json;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/**
 * Finds published versions of capabilities that would fail because a backend has changed its tools, before a caller
 * runs such a version. Compares the tools that the backends declare now with the schemas that the tools had when the
 * version was published, and with the arguments of its recorded calls. Thread-safe.
 */
public final class CapabilityContractChecker {
    private static final int MAX_PINNED_TOOLS = 200;
    private static final int MAX_RUNS = 3;
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    /** Maximum number of used tools that one comparison looks up in the store. */
    static final int MAX_STORE_LOOKUPS = 20;

    /** Hashes by input schema. An entry is removed after the schema object with which it was made is unreachable. */
    private static final Map<Json, SchemaHash> HASHES = Collections.synchronizedMap(new WeakHashMap<>());

    private final CapabilityStore store;
    private final Journal journal;
    private final JsonSchemaValidator schemas;
    private final ToolSpecLookup toolSpecs;
    private final ContractBreachCache breachCache;

    private record SchemaHash(Optional<Json> outputSchema, Optional<String> hash) {}

    /** Finds the current definitions of tools. */
    public interface ToolSpecLookup {
        /** Returns the tool as declared now, including a definition that is pending; empty when there is none. */
        Optional<ToolSpec> findCurrent(String tenant, ToolName name);

        /** Returns the tool by its accepted definition; empty when there is none. */
        Optional<ToolSpec> findAccepted(String tenant, ToolName name);

        /** Returns whether the other methods wait for the store for this tool. */
        default boolean needsStore(ToolName name) {
            return false;
        }
    }

    /** Kind of a breach. */
    public enum BreachKind {
        /** The tool does not exist any more. */
        GONE,
        /** The tool would reject arguments that it accepted. */
        ARGUMENTS,
        /** The tool declares a result schema that earlier results violate. */
        RESULT,
        /** The schemas of the tool have changed, and there is no run to check them with. */
        CHANGED
    }

    /**
     * Why a version would break.
     *
     * @param tool the tool that has changed
     * @param kind the kind of the breach
     * @param reason a description
     * @param run the run whose calls show the breach, if any
     */
    public record ContractBreach(String tool, BreachKind kind, String reason, Optional<ExecutionId> run) {}

    public CapabilityContractChecker(
            CapabilityStore store,
            Journal journal,
            JsonSchemaValidator schemas,
            ToolSpecLookup declared,
            InstantSource clock) {
        this.store = store;
        this.journal = journal;
        this.schemas = schemas;
        this.toolSpecs = declared;
        this.breachCache = new ContractBreachCache(clock);
    }

    /**
     * Returns the schema hashes of the tools that are named exactly, by their names; only of existing tools, by their
     * accepted definitions.
     */
    public Map<String, String> schemaHashes(String tenant, List<String> needed) {
        Map<String, String> contract = new TreeMap<>();
        needed.stream()
                .limit(MAX_PINNED_TOOLS)
                .forEach(name -> parseToolName(name)
                        .flatMap(tool -> toolSpecs.findAccepted(tenant, tool))
                        .flatMap(CapabilityContractChecker::tryHash)
                        .ifPresent(hash -> contract.put(name, hash)));
        return contract;
    }

    /** Returns the hash of the schemas, computed once for each pair of schemas; empty when they are unreadable. */
    static Optional<String> tryHash(ToolSpec spec) {
        SchemaHash known = HASHES.get(spec.inputSchema());
        if (known != null && known.outputSchema().equals(spec.outputSchema())) {
            return known.hash();
        }
        Optional<String> hash = computeHash(spec);
        HASHES.put(spec.inputSchema(), new SchemaHash(spec.outputSchema(), hash));
        return hash;
    }

    private static Optional<String> computeHash(ToolSpec spec) {
        try {
            return Optional.of(schemaHash(spec));
        } catch (RuntimeException | StackOverflowError e) {
            return Optional.empty(); // the schema comes from a server and is unreadable: the tool cannot be called
        }
    }

    /**
     * Returns the SHA-256 of the input and output schemas, independent of the order of members. Descriptions and hints
     * do not count.
     */
    static String schemaHash(ToolSpec spec) {
        try {
            Map<String, Object> both = new LinkedHashMap<>();
            both.put("input", JSON.readValue(spec.inputSchema().text(), Object.class));
            if (spec.outputSchema().isPresent()) {
                both.put("output", JSON.readValue(spec.outputSchema().get().text(), Object.class));
            }
            byte[] canonical = JSON.writeValueAsString(both).getBytes(StandardCharsets.UTF_8);
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(canonical));
        } catch (JsonProcessingException | NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** How the schemas of a tool have changed since a version used it last. */
    public enum UsedToolState {
        SAME,
        CHANGED,
        /** The tool does not exist any more. */
        GONE,
        /** Too many tools would have to be looked up in the store. */
        UNKNOWN
    }

    /**
     * Compares the schemas of used tools with those that they declare now, including definitions that are pending.
     * Looks up at most {@value #MAX_STORE_LOOKUPS} tools in the store.
     *
     * @return the states by the names of the tools
     */
    public Map<String, UsedToolState> compare(String tenant, List<UsedTool> used) {
        Map<String, UsedToolState> states = new HashMap<>();
        int lookups = 0;
        for (UsedTool each : used) {
            Optional<ToolName> name = parseToolName(each.tool());
            if (name.filter(toolSpecs::needsStore).isPresent() && ++lookups > MAX_STORE_LOOKUPS) {
                states.put(each.tool(), UsedToolState.UNKNOWN);
            } else {
                states.put(each.tool(), compare(each, name.flatMap(tool -> toolSpecs.findCurrent(tenant, tool))));
            }
        }
        return states;
    }

    private static UsedToolState compare(UsedTool used, Optional<ToolSpec> now) {
        if (now.isEmpty()) {
            return UsedToolState.GONE;
        }
        return now.flatMap(CapabilityContractChecker::tryHash)
                        .filter(used.hash()::equals)
                        .isPresent()
                ? UsedToolState.SAME
                : UsedToolState.CHANGED;
    }

    /**
     * Returns why a version would break now, at most one breach for each tool; empty when no breach is found. Waits for
     * the store.
     */
    public List<ContractBreach> findBreaches(String tenant, Capability capability) {
        return checkRuns(tenant, capability, newCheck(tenant, capability));
    }

    /** Does the same and charges the budget. This check is complete even if it exceeds the budget. */
    public List<ContractBreach> findBreaches(String tenant, Capability capability, ContractCheckBudget budget) {
        RecordedCallCheck trial = newCheck(tenant, capability);
        List<ContractBreach> breaches = checkRuns(tenant, capability, trial);
        budget.spend(trial.chars());
        return breaches;
    }

    private RecordedCallCheck newCheck(String tenant, Capability capability) {
        Map<String, String> contract = capability.contract();
        RecordedCallCheck trial = new RecordedCallCheck(
                journal,
                tool -> parseToolName(tool)
                        .map(name -> new ToolContractCheck(
                                tool,
                                toolSpecs.findCurrent(tenant, name),
                                Optional.ofNullable(contract.get(tool)),
                                schemas)));
        contract.keySet().forEach(trial::tool);
        return trial;
    }

    /**
     * Returns the breach of one tool, from a cache that is at most one minute old. Otherwise waits for the store; reads
     * no run when the tool is unchanged, or is pinned and gone.
     */
    public Optional<ContractBreach> findBreach(String tenant, CapabilityRef version, String tool) {
        return parseToolName(tool).flatMap(name -> {
            Optional<ToolSpec> now = toolSpecs.findCurrent(tenant, name);
            // Capabilities are never pending, and each lookup is a query to the store.
            Optional<ToolSpec> accepted =
                    name.backend().equals(CapabilityToolProvider.BACKEND) ? now : toolSpecs.findAccepted(tenant, name);
            Optional<String> current = now.map(CapabilityContractChecker::fingerprint);
            ContractBreachCache.ContractBreachKey question = new ContractBreachCache.ContractBreachKey(
                    tenant,
                    version,
                    tool,
                    current,
                    accepted.equals(now) ? current : accepted.map(CapabilityContractChecker::fingerprint));
            return breachCache.get(
                    question,
                    () -> findCapability(tenant, version).flatMap(capability -> checkTool(capability, question, now)));
        });
    }

    /** Returns the hash of a definition, or a constant when its schemas are unreadable. */
    private static String fingerprint(ToolSpec spec) {
        return tryHash(spec).orElse("unusable");
    }

    private Optional<Capability> findCapability(String tenant, CapabilityRef version) {
        return SemanticVersion.parse(version.version()).flatMap(exact -> store.find(tenant, version.name(), exact));
    }

    private Optional<ContractBreach> checkTool(
            Capability capability, ContractBreachCache.ContractBreachKey question, Optional<ToolSpec> now) {
        Optional<String> pinned = Optional.ofNullable(capability.contract().get(question.tool()));
        if (pinned.isPresent() && pinned.equals(question.currentHash()) && pinned.equals(question.acceptedHash())) {
            return Optional.empty();
        }
        ToolContractCheck tool = new ToolContractCheck(question.tool(), now, pinned, schemas);
        if (tool.isDecided()) {
            return tool.breach();
        }
        RecordedCallCheck trial =
                new RecordedCallCheck(journal, name -> Optional.of(tool).filter(any -> name.equals(question.tool())));
        if (pinned.isPresent()) {
            trial.tool(question.tool());
        }
        return checkRuns(question.tenant(), capability, trial).stream().findFirst();
    }

    private List<ContractBreach> checkRuns(String tenant, Capability capability, RecordedCallCheck trial) {
        store.findCompletedRuns(tenant, capability.name(), capability.version(), MAX_RUNS)
                .forEach(trial::checkRun);
        return trial.breaches();
    }

    /** Returns the name if it can be a tool of a backend or a capability; empty for the host's own functions. */
    static Optional<ToolName> parseToolName(String text) {
        try {
            ToolName name = ToolName.parse(text);
            boolean possible = name.backend().equals(CapabilityToolProvider.BACKEND)
                    || BackendNameRules.validationError(name.backend()).isEmpty();
            return possible && text.indexOf('*') < 0 ? Optional.of(name) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
