package org.sallyport.catalog;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.sallyport.capability.Capability;
import org.sallyport.capability.CapabilityStore;
import org.sallyport.capability.SchemaCheck;
import org.sallyport.capability.SemanticVersion;
import org.sallyport.execution.CapabilityRef;
import org.sallyport.execution.ExecutionId;
import org.sallyport.journal.Journal;
import org.sallyport.tool.ToolName;
import org.sallyport.tool.ToolSpec;

/**
 * What capabilities rely on: the schemas that the tools had when a version was published, and what its runs called them with. Says which versions
 * would break by what backends declare now, before they are run. Thread-safe.
 */
public final class Contracts {
    private static final int MOST_TOOLS = 200;
    private static final int RUNS = 3;
    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
            .build();

    private final CapabilityStore store;
    private final Journal journal;
    private final SchemaCheck schemas;
    private final Declared declared;
    private final KnownBreaches known;

    /** Knows what is declared of tools now. */
    public interface Declared {
        /** The tool, with a definition that nobody has accepted yet, if there is one. */
        Optional<ToolSpec> now(String tenant, ToolName name);

        /** The tool by the definition that counts. */
        Optional<ToolSpec> accepted(String tenant, ToolName name);
    }

    /** In which way something is not as it was. */
    public enum Kind {
        /** There is no such tool any more. */
        GONE,
        /** It would refuse arguments that it took. */
        ARGUMENTS,
        /** It gives something else than it gave. */
        RESULT,
        /** Its schemas are others, and no run is there to try them with. */
        CHANGED
    }

    /**
     * Why a version would break.
     *
     * @param tool which tool is not as it was
     * @param kind in which way
     * @param reason in words
     * @param run whose calls say so, if a run does
     */
    public record Breach(String tool, Kind kind, String reason, Optional<ExecutionId> run) {}

    public Contracts(
            CapabilityStore store, Journal journal, SchemaCheck schemas, Declared declared, InstantSource clock) {
        this.store = store;
        this.journal = journal;
        this.schemas = schemas;
        this.declared = declared;
        this.known = new KnownBreaches(clock);
    }

    /** Hashes of the schemas of those tools that are named exactly, by their names; those that there are now, by the definitions that count. */
    public Map<String, String> of(String tenant, List<String> needed) {
        Map<String, String> contract = new TreeMap<>();
        needed.stream()
                .limit(MOST_TOOLS)
                .forEach(name -> name(name)
                        .flatMap(tool -> declared.accepted(tenant, tool))
                        .flatMap(Contracts::pin)
                        .ifPresent(hash -> contract.put(name, hash)));
        return contract;
    }

    private static Optional<String> pin(ToolSpec spec) {
        try {
            return Optional.of(hash(spec));
        } catch (RuntimeException | StackOverflowError e) {
            return Optional.empty(); // a server wrote it, and it cannot be read: nobody can call the tool
        }
    }

    /** SHA-256 of what the tool takes and gives, the same whatever the order of members. Descriptions and hints break nothing. */
    static String hash(ToolSpec spec) {
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

    /** Why a version would break now, each tool once; none when nothing says that it would. Waits for the store. */
    public List<Breach> breaches(String tenant, Capability capability) {
        return tried(tenant, capability, trial(tenant, capability));
    }

    /** The same as a part of what is tried for one answer; however much of its budget is left, this one is tried in full. */
    public List<Breach> breaches(String tenant, Capability capability, TrialBudget budget) {
        CallTrial trial = trial(tenant, capability);
        List<Breach> breaches = tried(tenant, capability, trial);
        budget.spend(trial.chars());
        return breaches;
    }

    private CallTrial trial(String tenant, Capability capability) {
        Map<String, String> contract = capability.contract();
        CallTrial trial = new CallTrial(
                journal,
                tool -> name(tool)
                        .map(name -> new TriedTool(
                                tool, declared.now(tenant, name), Optional.ofNullable(contract.get(tool)), schemas)));
        contract.keySet().forEach(trial::tool);
        return trial;
    }

    /**
     * Why a version would break now of that tool, as it was found out within the last minute. Waits for the store where it was not; reads no run when
     * the tool is what it was, or is pinned and gone.
     */
    public Optional<Breach> breach(String tenant, CapabilityRef version, String tool) {
        return name(tool).flatMap(name -> {
            Optional<ToolSpec> now = declared.now(tenant, name);
            // Of capabilities none waits to be accepted, and each look is a question to the store.
            Optional<ToolSpec> accepted =
                    name.backend().equals(CapabilityTools.BACKEND) ? now : declared.accepted(tenant, name);
            Optional<String> current = now.map(Contracts::mark);
            KnownBreaches.Question question = new KnownBreaches.Question(
                    tenant, version, tool, current, accepted.equals(now) ? current : accepted.map(Contracts::mark));
            return known.of(
                    question,
                    () -> capability(tenant, version).flatMap(capability -> found(capability, question, now)));
        });
    }

    /** What stands for a definition, be it one of which nobody can call the tool. */
    private static String mark(ToolSpec spec) {
        return pin(spec).orElse("unusable");
    }

    private Optional<Capability> capability(String tenant, CapabilityRef version) {
        return SemanticVersion.parse(version.version()).flatMap(exact -> store.find(tenant, version.name(), exact));
    }

    private Optional<Breach> found(Capability capability, KnownBreaches.Question question, Optional<ToolSpec> now) {
        Optional<String> pinned = Optional.ofNullable(capability.contract().get(question.tool()));
        if (pinned.isPresent() && pinned.equals(question.declared()) && pinned.equals(question.accepted())) {
            return Optional.empty();
        }
        TriedTool tool = new TriedTool(question.tool(), now, pinned, schemas);
        if (tool.isSettled()) {
            return tool.breach();
        }
        CallTrial trial = new CallTrial(journal, name -> Optional.of(tool).filter(any -> name.equals(question.tool())));
        if (pinned.isPresent()) {
            trial.tool(question.tool());
        }
        return tried(question.tenant(), capability, trial).stream().findFirst();
    }

    private List<Breach> tried(String tenant, Capability capability, CallTrial trial) {
        store.runs(tenant, capability.name(), capability.version(), RUNS).forEach(trial::run);
        return trial.breaches();
    }

    /** What can be a tool of a backend; the host's own are none. */
    private static Optional<ToolName> name(String text) {
        try {
            ToolName name = ToolName.parse(text);
            boolean possible = name.backend().equals(CapabilityTools.BACKEND)
                    || BackendNames.fault(name.backend()).isEmpty();
            return possible && text.indexOf('*') < 0 ? Optional.of(name) : Optional.empty();
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
