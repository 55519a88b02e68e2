package org.sallyport.bench.part;

import java.util.function.Supplier;
import org.sallyport.bench.report.PerformanceTarget;

/** The microbenchmarks with their rows and targets. */
public enum Microbenchmark {
    POLICY_EACH_LOOKED_AT(
            "I1",
            "policy of 1,000 rules",
            "rules for one tool",
            PerformanceTarget.atMost(20),
            () -> PolicyTaskFactory.decisionTask(PolicyTaskFactory.rulesForOneTool())),
    POLICY_OF_MANY_BACKENDS(
            "I1",
            "policy of 1,000 rules",
            "rules for 100 backends",
            PerformanceTarget.atMost(20),
            () -> PolicyTaskFactory.decisionTask(PolicyTaskFactory.rulesForManyBackends())),
    SCHEMA_ACCEPTS(
            "I2",
            "schema check of small arguments",
            "valid",
            PerformanceTarget.atMost(10),
            CallTaskFactory::schemaAccepts),
    SCHEMA_REFUSES(
            "I2",
            "schema check of small arguments",
            "invalid",
            PerformanceTarget.atMost(10),
            CallTaskFactory::schemaRejects),
    NOTHING_TO_REDACT(
            "I3",
            "redaction of a small result",
            "without a secret",
            PerformanceTarget.none(),
            CallTaskFactory::nothingToRedact),
    REDACTED(
            "I3",
            "redaction of a small result",
            "with a secret",
            PerformanceTarget.none(),
            CallTaskFactory::secretRedacted),
    REQUEST("I4", "message, encoded and decoded", "call", PerformanceTarget.none(), CallTaskFactory::requestMessage),
    REPLY("I4", "message, encoded and decoded", "reply", PerformanceTarget.none(), CallTaskFactory::replyMessage);

    private final String rowId;
    private final String description;
    private final String variant;
    private final PerformanceTarget target;
    private final Supplier<MicrobenchmarkTask> taskFactory;

    Microbenchmark(
            String row, String what, String figure, PerformanceTarget target, Supplier<MicrobenchmarkTask> maker) {
        this.rowId = row;
        this.description = what;
        this.variant = figure;
        this.target = target;
        this.taskFactory = maker;
    }

    /** Returns the id of the row to which this microbenchmark belongs. */
    public String rowId() {
        return rowId;
    }

    /** Returns the description of the row. */
    public String description() {
        return description;
    }

    /** Returns the variant that distinguishes this microbenchmark from the others of its row. */
    public String variant() {
        return variant;
    }

    /** Returns the target in microseconds per operation. */
    public PerformanceTarget targetMicros() {
        return target;
    }

    /** Prepares the work. */
    public MicrobenchmarkTask createTask() {
        return taskFactory.get();
    }
}
