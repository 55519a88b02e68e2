package org.sallyport.it.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.BrokerProcess;
import org.sallyport.it.harness.PostgreSql;
import org.sallyport.it.harness.SallyportServer;
import org.sallyport.it.harness.ServerExtension;
import org.sallyport.it.harness.ServerSetup;
import org.sallyport.it.harness.SubmissionBody;

/** A node that consumes no jobs itself sends its held jobs at the rate at which other nodes consume them. */
@Tag("slow")
@ExtendWith(ServerExtension.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MultiNodeDispatchIT {
    private static final int MAX_LIVE_EXECUTIONS = 8;
    /** A script that sleeps for longer releases its slot when other executions wait for one. */
    private static final String SLOT_HOLDER_SCRIPT = "console.log('begun'); for (;;) await sleep(200);";

    private final BrokerProcess broker = BrokerProcess.start();
    private final PostgreSql database = PostgreSql.start();
    private final SallyportServer first = setup("turns-a").launch();
    private final SallyportServer second = setup("turns-b").launch();

    private ServerSetup setup(String name) {
        return broker.configure(database.configure(ServerSetup.create(name)))
                .with("sallyport.runner.max-live-executions", Integer.toString(MAX_LIVE_EXECUTIONS));
    }

    @AfterAll
    void end() {
        first.close();
        second.close();
        broker.close();
        database.close();
    }

    private String claimingNode(String id) {
        return database.queryText("select node from execution where id = cast(? as uuid)", id);
    }

    @Test
    void jobsHeldByOneNodeAreSentWhenTheOtherConsumesThem() {
        first.awaitReady();
        second.awaitReady();
        int many = 600;
        List<String> all = IntStream.range(0, 2 * MAX_LIVE_EXECUTIONS)
                .mapToObj(i -> first.api().submit(SubmissionBody.javascript(SLOT_HOLDER_SCRIPT)))
                .toList();
        all.forEach(id -> first.api().awaitOutput(id, "begun"));
        String prefix = first.nodeId() + ".";
        List<String> onFirst =
                all.stream().filter(id -> claimingNode(id).startsWith(prefix)).toList();
        String items = String.join(",", Collections.nCopies(many, "{\"code\": \"return 1\"}"));
        String batch = first.api()
                .post("/api/v1/batches", "{\"items\": [" + items + "]}")
                .expectStatus(202)
                .json()
                .path("id")
                .asText();

        all.stream().filter(id -> !onFirst.contains(id)).forEach(first.api()::cancel);
        Await.until(
                "the second node has run all",
                Duration.ofSeconds(300),
                () -> first.api()
                                .get("/api/v1/batches/" + batch)
                                .expectStatus(200)
                                .json()
                                .at("/counts/COMPLETED")
                                .asInt()
                        == many);
        onFirst.forEach(id ->
                assertThat(first.api().getExecution(id).path("state").asText()).isEqualTo("RUNNING"));
        onFirst.forEach(first.api()::cancel);
        all.forEach(first.api()::awaitEnd);
    }
}
