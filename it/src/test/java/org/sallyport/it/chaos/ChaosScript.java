package org.sallyport.it.chaos;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/**
 * A script and its expected result. Each effect has a unique name, so that the verifier can see an effect that happened
 * twice.
 */
enum ChaosScript {
    TRIVIAL("return args.n * 2 + 1;", 0) {
        @Override
        boolean isExpectedResult(ChaosSubmission job, JsonNode result) {
            return result.asInt() == job.number() * 2 + 1;
        }
    },
    READS("""
            let sum = 0;
            for (let i = 0; i < 4; i++) sum = await demo.add({ a: sum, b: args.n + i });
            return { sum, echo: await demo.echo({ n: args.n }) };
            """, 0) {
        @Override
        boolean isExpectedResult(ChaosSubmission job, JsonNode result) {
            return result.path("sum").asInt() == 4 * job.number() + 6
                    && result.path("echo").path("n").asInt() == job.number();
        }
    },
    SEQUENCE("""
            const made = [], unknown = [];
            for (let i = 0; i < 4; i++) {
              const name = `${args.key}-${i}`;
              try {
                made.push([name, await demo.counter_increment({ name })]);
              } catch (e) {
                if (e.code !== 'outcome-unknown') throw e;
                unknown.push(name);
              }
              console.log('step', i);
            }
            return { made, unknown };
            """, 4, "step 0\nstep 1\nstep 2\nstep 3\n"),
    PARALLEL("""
            const made = [], unknown = [];
            await Promise.all([0, 1, 2, 3].map(async i => {
              const name = `${args.key}-${i}`;
              try {
                made.push([name, await demo.counter_increment({ name, delayMillis: 60 * (i % 3) })]);
              } catch (e) {
                if (e.code !== 'outcome-unknown') throw e;
                unknown.push(name);
              }
            }));
            return { made, unknown };
            """, 4),
    UNGUARDED("""
            const made = [];
            for (let i = 0; i < 3; i++) {
              const name = `${args.key}-${i}`;
              made.push([name, await demo.counter_increment({ name })]);
            }
            return { made, unknown: [] };
            """, 3),
    SLEEPS("""
            console.log('before');
            await sleep(300 + args.n);
            console.log('after');
            return await count(args.key + '-0');
            """, 1, "before\nafter\n"),
    CHANCE("""
            const drawn = [crypto.randomUUID(), Math.random(), Date.now()];
            await demo.kv_put({ key: args.key, value: drawn });
            await sleep(400);
            await demo.slow({ millis: 200, value: 0 });
            const kept = await demo.kv_get({ key: args.key });
            return { same: JSON.stringify(kept) === JSON.stringify(drawn), on: Date.now() >= drawn[2] };
            """, 0) {
        @Override
        boolean isExpectedResult(ChaosSubmission job, JsonNode result) {
            return result.path("same").asBoolean() && result.path("on").asBoolean();
        }
    },
    CAUGHT("""
            try {
              await demo.fail({ message: 'as asked' });
            } catch (e) {
              console.log(e.code, e.message);
            } finally {
              console.log('finally');
            }
            return 'caught ' + args.n;
            """, 0, "tool-failed as asked\nfinally\n") {
        @Override
        boolean isExpectedResult(ChaosSubmission job, JsonNode result) {
            return result.asText().equals("caught " + job.number());
        }
    },
    FAILS("console.log('begun'); await demo.echo(args.n); throw new Error('as asked ' + args.n);", 0, "begun\n"),
    /**
     * The winner of the race is undefined but must be the same when the script runs again, because the script counts
     * only the winner's name.
     */
    RACE("""
            const i = await Promise.race([
              demo.slow({ millis: 60, value: 0 }), demo.slow({ millis: 70, value: 1 }), sleep(65).then(() => 2)]);
            await sleep(100);
            return await count(`${args.key}-${i}`, 100);
            """, 1),
    /** Waits twice for longer than an execution may wait in memory, and for a slow tool. */
    PARK("""
            for (let i = 0; i < 2; i++) {
              await sleep(2100 + args.n % 400);
              console.log('slept', i);
            }
            const value = await demo.slow({ millis: 2600, value: args.n });
            return { ...await count(args.key + '-0'), value };
            """, 1, "slept 0\nslept 1\n") {
        @Override
        boolean isExpectedResult(ChaosSubmission job, JsonNode result) {
            return result.path("value").asInt() == job.number();
        }
    },
    /** {@link ChaosResponder} approves the request, with the number as the answer. */
    APPROVAL("""
            const decision = await approvals.request({ title: 'chaos', details: args.n });
            return { ...await count(args.key + '-0'), answer: decision.answer };
            """, 1) {
        @Override
        boolean isExpectedResult(ChaosSubmission job, JsonNode result) {
            return result.path("answer").isInt() && result.path("answer").asInt() == job.number();
        }
    },
    /**
     * Gets one event of {@link ChaosResponder}, which emits it when the execution is parked, and one of its own. A
     * second event of the same name would have been emitted twice.
     */
    EVENT("""
            const heard = [(await events.next(args.key)).data, await events.next(args.key, { timeout: 300 })];
            const own = args.key + '-own';
            await events.next(own, { timeout: 1 });
            await events.emit(own, args.n);
            return [...heard, (await events.next(own)).data, await events.next(own, { timeout: 300 })];
            """, 0) {
        @Override
        boolean isExpectedResult(ChaosSubmission job, JsonNode result) {
            return result.equals(TestJson.read("[" + job.number() + ", null, " + job.number() + ", null]"));
        }
    },
    /** Runs two other scripts as capabilities. */
    NESTED("""
            const [sum, slept] = await Promise.all([
              capabilities.chaos.trivial({ key: args.key, n: args.n }),
              capabilities.chaos.sleeps({ key: args.key, n: args.n })]);
            return { sum, ...slept };
            """, 1) {
        @Override
        boolean isExpectedResult(ChaosSubmission job, JsonNode result) {
            return TRIVIAL.isExpectedResult(job, result.path("sum"));
        }
    },
    /** Makes calls until its budget is used up. */
    BUDGET("""
            let made = 0;
            try {
              for (; made < 9; made++) await demo.clock();
            } catch (e) {
              return [made, e.code];
            }
            return [made, 'no limit'];
            """, 0) {
        @Override
        boolean isExpectedResult(ChaosSubmission job, JsonNode result) {
            return result.equals(TestJson.read("[" + MAX_COST + ", \"budget-exceeded\"]"));
        }
    },
    /** Run by a schedule, always with the same arguments; so it draws the name of its effect. */
    SCHEDULED("""
            return await count(crypto.randomUUID());
            """, 1);

    /** Increments a counter. The outcome is unknown if a node died during the call. */
    private static final String COUNT_FUNCTION = """
            async function count(name, delayMillis = 0) {
              try {
                return { made: [[name, await demo.counter_increment({ name, delayMillis })]], unknown: [] };
              } catch (e) {
                if (e.code !== 'outcome-unknown') throw e;
                return { made: [], unknown: [name] };
              }
            }
            """;

    /** The tool that costs 1; all others are free. */
    static final String COSTLY_TOOL = "demo.clock";

    /** Budget of each execution of {@link #BUDGET}. */
    static final int MAX_COST = 3;

    private static final Set<ChaosScript> NOT_CAPABILITIES = EnumSet.of(APPROVAL, EVENT, NESTED, BUDGET, SCHEDULED);

    private static final Pattern TOOL = Pattern.compile("demo\\.\\w+");

    private final String code;
    private final int effectCount;
    private final String expectedOutput;

    ChaosScript(String code, int effects) {
        this(code, effects, "");
    }

    ChaosScript(String code, int effects, String output) {
        this.code = effects > 0 ? COUNT_FUNCTION + code : code;
        this.effectCount = effects;
        this.expectedOutput = output;
    }

    /** The output that the script must print. */
    String expectedOutput() {
        return expectedOutput;
    }

    SubmissionBody toSubmission(ChaosSubmission job) {
        SubmissionBody body =
                SubmissionBody.javascript(code).args("{\"key\": \"" + job.key() + "\", \"n\": " + job.number() + "}");
        return this == BUDGET ? body.limit("cost", MAX_COST) : body;
    }

    /** The cost of its calls. */
    BigDecimal expectedCost() {
        return this == BUDGET ? BigDecimal.valueOf(MAX_COST) : BigDecimal.ZERO;
    }

    /** How many executions are nested in one of this script. */
    int nestedCount() {
        return this == NESTED ? 2 : 0;
    }

    /** Returns whether callers submit the script. */
    boolean isSubmitted() {
        return this != SCHEDULED;
    }

    /** Returns whether the script is published as a capability. It calls tools of the demo backend only. */
    boolean isCapability() {
        return !NOT_CAPABILITIES.contains(this);
    }

    /** The name of the capability that runs this script. */
    String capabilityName() {
        return "chaos." + name().toLowerCase(Locale.ROOT);
    }

    /** The request that publishes this script as a capability, which needs the tools that the script calls. */
    String toCapability() {
        ObjectNode capability = TestJson.object()
                .put("name", capabilityName())
                .put("version", "1.0.0")
                .put("code", code);
        capability.set("inputSchema", TestJson.read("""
                {"type": "object", "required": ["key", "n"],
                 "properties": {"key": {"type": "string"}, "n": {"type": "integer"}}}"""));
        ArrayNode tools = capability.putArray("tools");
        TOOL.matcher(code).results().map(MatchResult::group).distinct().forEach(tools::add);
        return TestJson.write(capability);
    }

    /** Returns whether the script calls read-only tools only, so that equal rows can share an execution. */
    boolean onlyReads() {
        return this == TRIVIAL || this == READS || this == CAUGHT || this == FAILS;
    }

    /** Returns whether the script or a nested execution raises counters, and the result has their values. */
    boolean hasEffects() {
        return effectCount > 0;
    }

    /**
     * The names of the effects that its result must report as made or not made. Empty for {@link #RACE} and {@link
     * #SCHEDULED}, whose names are not known in advance.
     */
    List<String> effectNames(ChaosSubmission job) {
        return this == RACE || this == SCHEDULED
                ? List.of()
                : IntStream.range(0, effectCount)
                        .mapToObj(i -> job.key() + "-" + i)
                        .toList();
    }

    /** Accepts any result; scripts with a fixed result override it. */
    boolean isExpectedResult(ChaosSubmission job, JsonNode result) {
        return true;
    }
}
