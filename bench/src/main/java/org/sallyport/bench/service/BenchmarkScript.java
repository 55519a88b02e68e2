package org.sallyport.bench.service;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/**
 * A script of the benchmark with its input.
 *
 * @param n what it gets as {@code args.n}
 */
public record BenchmarkScript(String code, long n) {

    /** As little as a script can do and still need the engine: returns {@code n + 1}. */
    public static BenchmarkScript trivial(long n) {
        return new BenchmarkScript("return args.n + 1;", n);
    }

    /** Nothing but a call, as the JSON that needs no script engine: gives {@code n} in an object. */
    public static BenchmarkScript directCall(long n) {
        return new BenchmarkScript("{\"tool\": \"demo.echo\", \"arguments\": {\"n\": %d}}".formatted(n), n);
    }

    /** Nothing but a call, written as a statement: gives {@code n} in an object. */
    public static BenchmarkScript simpleCall(long n) {
        return new BenchmarkScript("return await demo.echo({ n: %d });".formatted(n), n);
    }

    /** Makes {@code n} calls at once that take so long each; returns {@code n}. */
    public static BenchmarkScript parallelCalls(long n, long millis) {
        return new BenchmarkScript("""
                const calls = Array.from({ length: args.n }, (_, value) => demo.slow({ millis: %d, value }));
                const values = await Promise.all(calls);
                values.forEach((value, i) => { if (value !== i) throw new Error(`got ${value} instead of ${i}`); });
                return values.length;
                """.formatted(millis), n);
    }

    /** Makes {@code n} calls that change nothing, one after the other; returns {@code n}. */
    public static BenchmarkScript readCalls(long n) {
        return callsOf("demo.echo", n);
    }

    /** Makes {@code n} calls of a tool that gives its arguments back, one after the other; returns {@code n}. */
    public static BenchmarkScript callsOf(String tool, long n) {
        return new BenchmarkScript("""
                for (let i = 0; i < args.n; i++) {
                  const echo = await %s({ i });
                  if (echo.i !== i) throw new Error(`got ${echo.i} instead of ${i}`);
                }
                return args.n;
                """.formatted(tool), n);
    }

    /** Makes {@code n} calls that are journaled before they leave, one after the other; returns {@code n}. */
    public static BenchmarkScript journaledCalls(long n) {
        return new BenchmarkScript("""
                for (let i = 1; i <= args.n; i++) await demo.kv_put({ key: "bench", value: i });
                return await demo.kv_get({ key: "bench" });
                """, n);
    }

    /** Waits on a slow tool until a moment, in milliseconds of the epoch; returns {@code n}, which the tool gives back. */
    public static BenchmarkScript waitingOnSlowTool(long n, long until) {
        return new BenchmarkScript("""
                const millis = Math.max(0, %d - Date.now());
                return await demo.slow({ millis, value: args.n });
                """.formatted(until), n);
    }

    /** Computes nothing and holds its place among those that run for so long; returns {@code n}. */
    public static BenchmarkScript holdingSlot(long n, long millis) {
        return new BenchmarkScript("await sleep(%d); return args.n;".formatted(millis), n);
    }

    /** Sleeps for {@code n} milliseconds; returns when it should have woken, in milliseconds of the epoch. */
    public static BenchmarkScript sleeping(long n) {
        return new BenchmarkScript("const due = Date.now() + args.n; await sleep(args.n); return due;", n);
    }

    /**
     * Makes {@code n} calls that are journaled before they leave, says when it will go on, in milliseconds of the epoch, and
     * sleeps until then; makes one call more, which gives {@code n}, and returns that.
     */
    public static BenchmarkScript callingThenSleeping(long n, long millis) {
        return new BenchmarkScript("""
                for (let i = 1; i <= args.n; i++) await demo.kv_put({ key: "bench-pausing", value: i });
                console.log(Date.now() + %d);
                await sleep(%d);
                return await demo.kv_get({ key: "bench-pausing" });
                """.formatted(millis, millis), n);
    }

    /** Says so and then never ends by itself. */
    public static BenchmarkScript endless() {
        return new BenchmarkScript("console.log('off we go'); while (true) {}", 0);
    }

    /** The body of its submission. */
    public String json() {
        var json = JsonNodeFactory.instance.objectNode().put("code", code).put("language", "javascript");
        json.putObject("args").put("n", n);
        return json.toString();
    }
}
