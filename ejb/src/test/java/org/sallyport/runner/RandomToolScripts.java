package org.sallyport.runner;

import java.util.Random;

/**
 * Random scripts whose outcome depends on the replies of tools and on the script's own random numbers, but not on
 * timing, so that two runs of one execution can be compared.
 */
final class RandomToolScripts {
    private final Random random;
    private int names;

    RandomToolScripts(long seed) {
        random = new Random(seed);
    }

    String script() {
        StringBuilder text = new StringBuilder("const seen = [];\n");
        for (int i = 1 + random.nextInt(6); i > 0; i--) {
            text.append(statement(2)).append('\n');
        }
        return text.append("return seen;").toString();
    }

    private String statement(int depth) {
        return switch (random.nextInt(depth > 0 ? 13 : 5)) {
            case 0 -> "seen.push(Math.random() < 0.5 ? 'low' : crypto.randomUUID().length);";
            case 1 -> "console.error('at', seen.length, Math.random());";
            case 2 -> tried("seen.push(await " + call() + ");");
            case 3 -> "await sleep(" + random.nextInt(3) + "); console.error('slept');";
            case 4 -> tried("const v" + ++names + " = await " + call() + "; console.log(v" + names + ");");
            case 5 -> "for (let i = 0; i < " + (1 + random.nextInt(3)) + "; i++) { " + statement(depth - 1) + " }";
            case 6 ->
                "seen.push((await Promise.all([" + call() + ".catch(() => 1), " + call()
                        + ".catch(() => 2), sleep(1)])).length);";
            // The winner of the race depends on timing, so the script does not record it.
            case 7 ->
                "const r" + ++names + " = [" + call() + ", " + call() + ", sleep(2)]; await Promise.race(r" + names
                        + ").catch(() => 0); console.log('raced'); seen.push((await Promise.allSettled(r" + names
                        + ")).map((each) => each.status));";
            case 8 ->
                "seen.push(await Promise.race([" + call()
                        + ".then(() => 'well', (e) => e.code), new Promise(() => {})]));";
            case 9 ->
                "seen.push((await new Promise((done) => setTimeout(() => done(Math.random()), " + random.nextInt(3)
                        + "))) < 0.5); console.log('timer', Math.random());";
            case 10 -> {
                String name = "f" + ++names;
                yield "const " + name + " = async (n) => { const r = await " + call()
                        + "; await sleep(1); return r ? n : 0; }; " + tried("seen.push(await " + name + "(1));")
                        + " seen.push((await Promise.allSettled([" + name + "(2), " + name
                        + "(3)])).map((each) => each.value ?? each.reason.code));";
            }
            case 11 -> "await (async () => { " + statement(depth - 1) + " " + statement(depth - 1) + " })();";
            default ->
                "seen.push((await Promise.allSettled([" + call() + ", " + call() + ", " + call()
                        + "])).map((each) => each.status));";
        };
    }

    private static String tried(String statement) {
        return "try { " + statement + " } catch (e) { seen.push(e.code); }";
    }

    private String call() {
        String tool = switch (random.nextInt(5)) {
            case 0, 1 -> "read";
            case 2 -> "again";
            default -> "effect";
        };
        return "b." + tool + "({ n: " + random.nextInt(100) + ", at: seen.length, r: Math.random() })";
    }
}
