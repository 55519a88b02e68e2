package org.sallyport.bench.part;

import java.util.function.Supplier;
import org.sallyport.bench.report.Target;

/** Those that are measured. */
public enum Parts {
    POLICY_EACH_LOOKED_AT(
            "I1",
            "policy of 1,000 rules",
            "each looked at",
            Target.atMost(20),
            () -> PolicyParts.part(PolicyParts.eachLookedAt())),
    POLICY_OF_MANY_BACKENDS(
            "I1",
            "policy of 1,000 rules",
            "of 100 backends",
            Target.atMost(20),
            () -> PolicyParts.part(PolicyParts.ofManyBackends())),
    SCHEMA_ACCEPTS("I2", "schema of small arguments", "right", Target.atMost(10), OtherParts::schemaAccepts),
    SCHEMA_REFUSES("I2", "schema of small arguments", "wrong", Target.atMost(10), OtherParts::schemaRefuses),
    NOTHING_TO_REDACT("I3", "redaction of a small result", "none in it", Target.none(), OtherParts::nothingToRedact),
    REDACTED("I3", "redaction of a small result", "a secret in it", Target.none(), OtherParts::redacted),
    REQUEST("I4", "message, written and read", "call", Target.none(), OtherParts::request),
    REPLY("I4", "message, written and read", "answer", Target.none(), OtherParts::reply);

    private final String row;
    private final String what;
    private final String figure;
    private final Target target;
    private final Supplier<Part> maker;

    Parts(String row, String what, String figure, Target target, Supplier<Part> maker) {
        this.row = row;
        this.what = what;
        this.figure = figure;
        this.target = target;
        this.maker = maker;
    }

    /** Id of the row that it belongs to. */
    public String row() {
        return row;
    }

    /** What the row is about. */
    public String what() {
        return what;
    }

    /** What of that it is. */
    public String figure() {
        return figure;
    }

    /** How many microseconds it may take. */
    public Target micros() {
        return target;
    }

    /** Makes it ready. */
    public Part make() {
        return maker.get();
    }
}
