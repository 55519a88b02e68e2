package org.sallyport.execution;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.TraceContext;

/** Builds submissions for tests. All values have defaults, and ids increase. */
public final class NewExecutionBuilder {
    private static final ExecutionIdGenerator IDS = new ExecutionIdGenerator(InstantSource.system(), new Random());

    private ExecutionId id = IDS.next();
    private String tenant = "tenant-a";
    private String submitter = "key-1";
    private Optional<Cost> cost = Optional.empty();
    private Map<AdditionalLimit, Integer> additionalLimits = Map.of();
    private String code = "return 1";
    private Json args = Json.NULL;
    private Json context = Json.NULL;
    private long wallMillis = 300_000;
    private List<String> grants = List.of("demo.*");
    private Map<String, String> labels = Map.of();
    private int priority = 4;
    private Optional<String> intent = Optional.empty();
    private Optional<NewExecution.IdempotencyKey> idempotency = Optional.empty();

    private Optional<RerunOrigin> rerun = Optional.empty();
    private Durability durability = Durability.JOURNAL;
    private EffectMode effects = EffectMode.REAL;
    private Optional<CapabilityBinding> capability = Optional.empty();
    private Optional<PinnedVariables> variables = Optional.empty();
    private Optional<String> callback = Optional.empty();
    private Optional<TraceContext> trace = Optional.empty();
    private CacheOptions cacheOptions = CacheOptions.NONE;
    private AdmissionConstraints admission = AdmissionConstraints.NONE;

    private NewExecutionBuilder() {}

    public static NewExecutionBuilder anExecution() {
        return new NewExecutionBuilder();
    }

    public NewExecutionBuilder id(ExecutionId id) {
        this.id = id;
        return this;
    }

    public NewExecutionBuilder tenant(String tenant) {
        this.tenant = tenant;
        return this;
    }

    public NewExecutionBuilder code(String code) {
        this.code = code;
        return this;
    }

    public NewExecutionBuilder args(String json) {
        this.args = new Json(json);
        return this;
    }

    public NewExecutionBuilder context(String json) {
        this.context = new Json(json);
        return this;
    }

    public NewExecutionBuilder wallMillis(long wallMillis) {
        this.wallMillis = wallMillis;
        return this;
    }

    public NewExecutionBuilder submitter(String key) {
        this.submitter = key;
        return this;
    }

    public NewExecutionBuilder cost(Cost maxCost) {
        this.cost = Optional.of(maxCost);
        return this;
    }

    public NewExecutionBuilder additionalLimits(Map<AdditionalLimit, Integer> limits) {
        this.additionalLimits = limits;
        return this;
    }

    public NewExecutionBuilder grants(String... grants) {
        this.grants = List.of(grants);
        return this;
    }

    public NewExecutionBuilder labels(Map<String, String> labels) {
        this.labels = labels;
        return this;
    }

    public NewExecutionBuilder priority(int priority) {
        this.priority = priority;
        return this;
    }

    public NewExecutionBuilder intent(String intent) {
        this.intent = Optional.of(intent);
        return this;
    }

    public NewExecutionBuilder durability(Durability durability) {
        this.durability = durability;
        return this;
    }

    public NewExecutionBuilder idempotency(String key, String bodyHash) {
        this.idempotency = Optional.of(new NewExecution.IdempotencyKey(key, bodyHash));
        return this;
    }

    public NewExecutionBuilder rerun(RerunOrigin rerun) {
        this.rerun = Optional.of(rerun);
        return this;
    }

    public NewExecutionBuilder capability(CapabilityBinding use) {
        capability = Optional.of(use);
        return this;
    }

    public NewExecutionBuilder callback(String url) {
        callback = Optional.of(url);
        return this;
    }

    public NewExecutionBuilder trace(TraceContext context) {
        trace = Optional.of(context);
        return this;
    }

    public NewExecutionBuilder effects(EffectMode which) {
        effects = which;
        return this;
    }

    public NewExecutionBuilder cacheOptions(CacheOptions which) {
        cacheOptions = which;
        return this;
    }

    public NewExecutionBuilder admission(AdmissionConstraints which) {
        admission = which;
        return this;
    }

    public NewExecutionBuilder variables(PinnedVariables which) {
        variables = Optional.of(which);
        return this;
    }

    public NewExecution build() {
        return new NewExecution(
                id,
                tenant,
                submitter,
                code,
                ScriptLanguage.JAVASCRIPT,
                ScriptTier.SIMPLE,
                args,
                context,
                new ExecutionLimits(wallMillis, 10_000, 64L << 20, 100, 200_000, cost, additionalLimits),
                grants,
                labels,
                priority,
                DebugMode.NONE,
                durability,
                intent,
                idempotency,
                rerun,
                effects,
                capability,
                callback,
                trace,
                cacheOptions,
                admission,
                variables);
    }
}
