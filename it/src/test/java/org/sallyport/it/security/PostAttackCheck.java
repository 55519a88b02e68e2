package org.sallyport.it.security;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.sallyport.it.harness.SubmissionBody;

/** Checks that a service is undamaged after all attacks. */
final class PostAttackCheck {
    private static final int CONCURRENCY = 4;
    /** The configured heap of a worker, and the same amount for code, stacks and metadata. */
    private static final long MAX_WORKER_KILOBYTES = 2 * (256 << 10);

    /** Uses built-ins that a failed class initializer would break permanently, and functions of the bridge. */
    private static final String BUILT_INS_SCRIPT = """
            const seen = [];
            seen.push(new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo', dateStyle: 'short' }).format(0));
            seen.push(new Intl.NumberFormat('de').format(1234.5), new Intl.PluralRules('en').select(1));
            seen.push(/(?<=a)(?<n>b)\\k<n>/u.exec('abb').groups.n, 'ss'.localeCompare('ss'), \
            'é'.normalize('NFD').length);
            seen.push(String(2n ** 64n), JSON.stringify({ a: [1, { b: null }] }), new Date(0).toISOString());
            seen.push([3, 1, 2].sort().join(), structuredClone(new Map([[1, 2]])).get(1), new Uint8Array([1, \
            2]).reverse()[0]);
            seen.push(await Promise.any([Promise.reject(1), demo.echo(7)]), encodeURIComponent('ä'), typeof \
            Symbol.for('x'));
            seen.push(String(new Error('e')), [...function* () { yield 5; }()][0], new Proxy({}, { get: () => 9 }).x, \
            eval('1+1'));
            return seen;
            """;

    private static final String EXPECTED_RESULT = "[\"1/1/70\",\"1.234,5\",\"one\",\"b\",0,2,\"18446744073709551616\","
            + "\"{\\\"a\\\":[1,{\\\"b\\\":null}]}\",\"1970-01-01T00:00:00.000Z\",\"1,2,3\",2,2,7,\"%C3%A4\",\"symbol\","
            + "\"Error: e\",5,9,2]";

    private PostAttackCheck() {}

    /**
     * In-process mode may grow more: code of scripts stays in caches that the server clears only when memory is low.
     */
    private static long maxHeapGrowth(SandboxMode mode) {
        return mode == SandboxMode.WORKER ? 128 << 10 : 384 << 10;
    }

    /** Describes all damage. */
    static List<String> findDamage(SecurityTestServer arena, ResourceUsage before, ResourceUsage after) {
        List<String> faults = new ArrayList<>(findBrokenBuiltIns(arena));
        if (after.heapKilobytes() - before.heapKilobytes() > maxHeapGrowth(arena.mode())) {
            faults.add("the server's heap has grown from " + before + " to " + after);
        }
        if (after.workersKilobytes().stream().anyMatch(size -> size > MAX_WORKER_KILOBYTES)) {
            faults.add("a worker is too large: " + after);
        }
        return faults;
    }

    /** Runs several executions concurrently, so that every worker of the tenant runs one. */
    private static List<String> findBrokenBuiltIns(SecurityTestServer arena) {
        List<CompletableFuture<AttackResult>> all = Stream.generate(() ->
                        CompletableFuture.supplyAsync(() -> arena.run(SubmissionBody.javascript(BUILT_INS_SCRIPT))))
                .limit(CONCURRENCY)
                .toList();
        return all.stream()
                .map(CompletableFuture::join)
                .filter(each -> !each.result().toString().equals(EXPECTED_RESULT))
                .map(each -> "built-ins are broken: " + each.outcome() + " " + each.result())
                .distinct()
                .toList();
    }
}
