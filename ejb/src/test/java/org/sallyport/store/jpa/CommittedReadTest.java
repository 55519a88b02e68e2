package org.sallyport.store.jpa;

import static org.assertj.core.api.Assertions.assertThat;
import static org.sallyport.execution.ConcurrencyTestUtil.runConcurrently;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A read sees every commit that was acknowledged, or seen by another read, before it began. H2 breaks this law if it
 * reuses results of earlier reads (h2database issues 3894 and 4208).
 */
class CommittedReadTest {
    private static final int COMMITS = 500;
    private static final int READERS = 4;

    @ParameterizedTest
    @ValueSource(strings = {"h2", "postgresql"})
    void noReadIsOlderThanAKnownCommit(String kind) throws Exception {
        try (TestDatabase store = kind.equals("h2") ? TestDatabase.h2() : TestDatabase.postgreSql()) {
            Database database = store.database();
            execute(database, "insert into demo_count (tenant, name, total, calls) values ('t', 'n', 0, 0)");
            AtomicLong known = new AtomicLong();
            AtomicBoolean ended = new AtomicBoolean();

            List<Long> staleReads = runConcurrently(
                    READERS + 1, number -> number == 0 ? write(database, known, ended) : read(database, known, ended));

            assertThat(staleReads).as("stale reads of each thread").containsOnly(0L);
        }
    }

    private static void execute(Database database, String sql) {
        database.write(session -> session.createNativeQuery(sql).executeUpdate());
    }

    private static long write(Database database, AtomicLong known, AtomicBoolean ended) {
        try {
            for (long total = 1; total <= COMMITS; total++) {
                execute(database, "update demo_count set total = total + 1");
                known.accumulateAndGet(total, Math::max);
            }
            return 0;
        } finally {
            ended.set(true);
        }
    }

    /** Reads until the writer has ended. Returns the number of reads that were older than a known commit. */
    private static long read(Database database, AtomicLong known, AtomicBoolean ended) {
        long stale = 0;
        while (!ended.get()) {
            long before = known.get();
            long total = database.read(session -> session.createQuery(
                            "select c.total from DemoCountEntity c where c.name = 'n'", Long.class)
                    .getSingleResult());
            stale += total < before ? 1 : 0;
            known.accumulateAndGet(total, Math::max);
        }
        return stale;
    }
}
