package org.sallyport.it.death;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.stream.StreamSupport;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Await;
import org.sallyport.it.harness.Submission;

/** What an execution teaches of tools is learned once, also when the server dies right after its end. */
final class LearnedTools implements Promise {
    private static final String READ = "await demo.counter_read({ name: 'k' });\n";

    private final Api api;

    LearnedTools(Api api) {
        this.api = api;
    }

    @Override
    public void make() {
        api.run(Submission.javascript(READ + READ));
    }

    @Override
    public void assertKept() {
        awaitCalls(2);
        api.run(Submission.javascript(READ));
        awaitCalls(3);
        assertThat(calls()).isEqualTo(3);
    }

    private void awaitCalls(int expected) {
        Await.until("they are learned", Duration.ofSeconds(120), () -> calls() == expected);
    }

    private int calls() {
        return StreamSupport.stream(
                        api.get("/api/v1/tool-graph")
                                .expect(200)
                                .json()
                                .path("nodes")
                                .spliterator(),
                        false)
                .filter(node -> node.path("tool").asText().equals("demo.counter_read"))
                .mapToInt(node -> node.path("calls").asInt())
                .sum();
    }
}
