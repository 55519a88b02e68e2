package org.sallyport.store.jpa;

import static org.sallyport.execution.NewExecutionBuilder.anExecution;

import java.nio.file.Path;
import java.time.Duration;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.execution.NewExecution;

/**
 * Accepts executions from four threads, and prints the id of each after it is accepted, until the process is killed.
 */
final class CrashingWriter {
    private CrashingWriter() {}

    public static void main(String[] args) throws Exception {
        Database database = Database.open(TestDatabase.h2(Path.of(args[0])));
        JpaExecutionStore store = new JpaExecutionStore(database, Duration.ofHours(1));
        ConcurrencyTestUtil.runConcurrently(4, n -> {
            while (true) {
                NewExecution execution = anExecution().build();
                store.insert(execution);
                print(execution);
            }
        });
    }

    private static synchronized void print(NewExecution execution) {
        System.out.println(execution.id());
        System.out.flush();
    }
}
