package org.sallyport.sandbox;

import java.util.Random;

/**
 * Generates random scripts that call tools, race calls, wait, read the clock and use random numbers. Scripts print all
 * results, so that a difference is visible.
 */
final class RandomReplayScripts {
    private final Random random;
    private int names;

    RandomReplayScripts(long seed) {
        random = new Random(seed);
    }

    String script() {
        StringBuilder text = new StringBuilder("const seen = [];\n");
        int count = 1 + random.nextInt(6);
        for (int i = 0; i < count; i++) {
            text.append(statement(2)).append('\n');
        }
        return text.append("return seen;").toString();
    }

    private String statement(int depth) {
        return switch (random.nextInt(depth > 0 ? 11 : 6)) {
            case 0 -> "seen.push(" + value() + ");";
            case 1 -> "console.log(" + value() + ", seen.length);";
            case 2 -> "seen.push(await " + call() + ");";
            case 3 -> "await sleep(" + random.nextInt(4) + ");";
            case 4 -> "const v" + ++names + " = await " + call() + "; console.error(v" + names + ");";
            case 5 ->
                "setTimeout(() => { seen.push('t'); console.log('fired', " + value() + "); }, " + random.nextInt(6)
                        + ");";
            case 6 ->
                "try { " + statement(depth - 1)
                        + " await demo.fail({ n: seen.length }); } catch (e) { seen.push(e.code); }";
            case 7 -> "for (let i = 0; i < " + (1 + random.nextInt(3)) + "; i++) { " + statement(depth - 1) + " }";
            case 8 -> "seen.push(await Promise.all([" + callList(call()) + "]));";
            case 9 ->
                "seen.push(await Promise.race([" + callList(call()) + ", sleep(" + random.nextInt(4)
                        + ").then(() => 'late')]));";
            default ->
                "await Promise.all([1, 2].map(async (x) => { " + statement(depth - 1) + " " + statement(depth - 1)
                        + " }));";
        };
    }

    private String callList(String last) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(3); i > 0; i--) {
            text.append(call()).append(", ");
        }
        return text.append(last).toString();
    }

    private String call() {
        return switch (random.nextInt(3)) {
            case 0 -> "demo.later({ at: seen.length, r: Math.random() })";
            case 1 -> "demo.later({ id: crypto.randomUUID() })";
            default -> "demo.echo({ now: Date.now(), n: " + random.nextInt(9) + " })";
        };
    }

    private String value() {
        return switch (random.nextInt(6)) {
            case 0 -> "Math.random()";
            case 1 -> "Date.now()";
            case 2 -> "new Date().toISOString()";
            case 3 -> "crypto.randomUUID()";
            case 4 -> "Math.floor(performance.now())";
            default -> "new Intl.DateTimeFormat('en', { timeStyle: 'medium' }).format()";
        };
    }
}
