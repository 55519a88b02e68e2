package org.sallyport.bench.service;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;

/**
 * A script of the benchmark with its input.
 *
 * @param member {@code code}, or {@code capability} for a published script
 * @param text the code of the script, or the name of the capability
 * @param n the value of {@code args.n}
 */
public record BenchmarkScript(String member, String text, long n) {
    private BenchmarkScript(String code, long n) {
        this("code", code, n);
    }

    /** The stable version of a capability. */
    public static BenchmarkScript ofCapability(String name, long n) {
        return new BenchmarkScript("capability", name, n);
    }

    /** A single call of a read-only tool, in the script engine. Returns {@code n + 1}. */
    public static BenchmarkScript callAndAdd(long n) {
        return new BenchmarkScript("const { n } = await demo.echo({ n: args.n }); return n + 1;", n);
    }

    /** The smallest script that needs the script engine. Returns {@code n + 1}. */
    public static BenchmarkScript trivial(long n) {
        return new BenchmarkScript("return args.n + 1;", n);
    }

    /** A single call as JSON, which needs no script engine. Returns an object with {@code n}. */
    public static BenchmarkScript directCall(long n) {
        return new BenchmarkScript("{\"tool\": \"demo.echo\", \"arguments\": {\"n\": %d}}".formatted(n), n);
    }

    /** A single call as a statement. Returns an object with {@code n}. */
    public static BenchmarkScript simpleCall(long n) {
        return new BenchmarkScript("return await demo.echo({ n: %d });".formatted(n), n);
    }

    /** Makes {@code n} parallel calls of {@code millis} milliseconds each. Returns {@code n}. */
    public static BenchmarkScript parallelCalls(long n, long millis) {
        return new BenchmarkScript("""
                const calls = Array.from({ length: args.n }, (_, value) => demo.slow({ millis: %d, value }));
                const values = await Promise.all(calls);
                values.forEach((value, i) => { if (value !== i) throw new Error(`got ${value} instead of ${i}`); });
                return values.length;
                """.formatted(millis), n);
    }

    /** Makes {@code n} sequential calls of a read-only tool. Returns {@code n}. */
    public static BenchmarkScript readCalls(long n) {
        return callsOf("demo.echo", n);
    }

    /** Makes {@code n} sequential calls of a tool that returns its arguments. Returns {@code n}. */
    public static BenchmarkScript callsOf(String tool, long n) {
        return new BenchmarkScript("""
                for (let i = 0; i < args.n; i++) {
                  const echo = await %s({ i });
                  if (echo.i !== i) throw new Error(`got ${echo.i} instead of ${i}`);
                }
                return args.n;
                """.formatted(tool), n);
    }

    /** Makes {@code n} sequential calls that are journaled before they are sent. Returns {@code n}. */
    public static BenchmarkScript journaledCalls(long n) {
        return new BenchmarkScript("""
                for (let i = 1; i <= args.n; i++) await demo.kv_put({ key: "bench", value: i });
                return await demo.kv_get({ key: "bench" });
                """, n);
    }

    /**
     * Waits on a slow tool until {@code until}, in milliseconds of the epoch. Returns {@code n}, which the tool
     * returns.
     */
    public static BenchmarkScript waitingOnSlowTool(long n, long until) {
        return new BenchmarkScript("""
                const millis = Math.max(0, %d - Date.now());
                return await demo.slow({ millis, value: args.n });
                """.formatted(until), n);
    }

    /** Holds its slot for {@code millis} milliseconds and computes nothing. Returns {@code n}. */
    public static BenchmarkScript holdingSlot(long n, long millis) {
        return new BenchmarkScript("await sleep(%d); return args.n;".formatted(millis), n);
    }

    /**
     * Sleeps for {@code n} milliseconds. Returns the time at which the sleep was due to end, in milliseconds of the
     * epoch.
     */
    public static BenchmarkScript sleeping(long n) {
        return new BenchmarkScript("const due = Date.now() + args.n; await sleep(args.n); return due;", n);
    }

    /**
     * Makes {@code n} calls that are journaled before they are sent, prints the time at which its sleep ends, in
     * milliseconds of the epoch, and sleeps for {@code millis} milliseconds. Then makes one more call, which returns
     * {@code n}, and returns this value.
     */
    public static BenchmarkScript callingThenSleeping(long n, long millis) {
        return new BenchmarkScript("""
                for (let i = 1; i <= args.n; i++) await demo.kv_put({ key: "bench-pausing", value: i });
                console.log(Date.now() + %d);
                await sleep(%d);
                return await demo.kv_get({ key: "bench-pausing" });
                """.formatted(millis, millis), n);
    }

    /** Prints a line and then loops forever. */
    public static BenchmarkScript endless() {
        return new BenchmarkScript("console.log('off we go'); while (true) {}", 0);
    }

    /** Returns the body of the request that submits this script. */
    public String json() {
        var json = JsonNodeFactory.instance.objectNode().put(member, text);
        json.putObject("args").put("n", n);
        return json.toString();
    }
}
