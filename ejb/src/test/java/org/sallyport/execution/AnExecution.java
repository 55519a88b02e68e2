package org.sallyport.execution;

import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.sallyport.tool.Json;
import org.sallyport.tracecontext.TraceContext;

/** Builds submissions for tests: everything has a usual value, ids rise. */
public final class AnExecution {
    private static final ExecutionIds IDS = new ExecutionIds(InstantSource.system(), new Random());

    private ExecutionId id = IDS.next();
    private String tenant = "tenant-a";
    private String submitter = "key-1";
    private Optional<Cost> cost = Optional.empty();
    private Map<FurtherLimit, Integer> further = Map.of();
    private String code = "return 1";
    private Json args = Json.NULL;
    private Json context = Json.NULL;
    private long wallMillis = 300_000;
    private List<String> grants = List.of("demo.*");
    private Map<String, String> labels = Map.of();
    private int priority = 4;
    private Optional<String> intent = Optional.empty();
    private Optional<NewExecution.Idempotency> idempotency = Optional.empty();

    private Optional<Rerun> rerun = Optional.empty();
    private Durability durability = Durability.JOURNAL;
    private Effects effects = Effects.REAL;
    private Optional<CapabilityUse> capability = Optional.empty();
    private Optional<String> callback = Optional.empty();
    private Optional<TraceContext> trace = Optional.empty();
    private Reuse reuse = Reuse.NONE;
    private Admission admission = Admission.NONE;

    private AnExecution() {}

    public static AnExecution anExecution() {
        return new AnExecution();
    }

    public AnExecution id(ExecutionId id) {
        this.id = id;
        return this;
    }

    public AnExecution tenant(String tenant) {
        this.tenant = tenant;
        return this;
    }

    public AnExecution code(String code) {
        this.code = code;
        return this;
    }

    public AnExecution args(String json) {
        this.args = new Json(json);
        return this;
    }

    public AnExecution context(String json) {
        this.context = new Json(json);
        return this;
    }

    public AnExecution wallMillis(long wallMillis) {
        this.wallMillis = wallMillis;
        return this;
    }

    public AnExecution submitter(String key) {
        this.submitter = key;
        return this;
    }

    public AnExecution cost(Cost most) {
        this.cost = Optional.of(most);
        return this;
    }

    public AnExecution further(Map<FurtherLimit, Integer> limits) {
        this.further = limits;
        return this;
    }

    public AnExecution grants(String... grants) {
        this.grants = List.of(grants);
        return this;
    }

    public AnExecution labels(Map<String, String> labels) {
        this.labels = labels;
        return this;
    }

    public AnExecution priority(int priority) {
        this.priority = priority;
        return this;
    }

    public AnExecution intent(String intent) {
        this.intent = Optional.of(intent);
        return this;
    }

    public AnExecution durability(Durability durability) {
        this.durability = durability;
        return this;
    }

    public AnExecution idempotency(String key, String bodyHash) {
        this.idempotency = Optional.of(new NewExecution.Idempotency(key, bodyHash));
        return this;
    }

    public AnExecution rerun(Rerun rerun) {
        this.rerun = Optional.of(rerun);
        return this;
    }

    public AnExecution capability(CapabilityUse use) {
        capability = Optional.of(use);
        return this;
    }

    public AnExecution callback(String url) {
        callback = Optional.of(url);
        return this;
    }

    public AnExecution trace(TraceContext context) {
        trace = Optional.of(context);
        return this;
    }

    public AnExecution effects(Effects which) {
        effects = which;
        return this;
    }

    public AnExecution reuse(Reuse which) {
        reuse = which;
        return this;
    }

    public AnExecution admission(Admission which) {
        admission = which;
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
                new Limits(wallMillis, 10_000, 64L << 20, 100, 200_000, cost, further),
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
                reuse,
                admission);
    }
}
