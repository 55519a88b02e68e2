package org.sallyport.submission;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionIdGenerator;
import org.sallyport.execution.ExecutionJob;

@Timeout(60)
class TenantFairQueueTest {
    private static final int PRIORITY = 4;

    private final AtomicLong nanos = new AtomicLong();
    private final ExecutionIdGenerator ids =
            new ExecutionIdGenerator(java.time.Clock.systemUTC(), new java.util.Random(7));

    private TenantFairQueue queue(int window) {
        return queue(window, Map.of());
    }

    private TenantFairQueue queue(int window, Map<String, Integer> weights) {
        return new TenantFairQueue(
                new TenantFairQueue.QueueBounds(window, 50, 100),
                tenant -> weights.getOrDefault(tenant, 1),
                nanos::get);
    }

    private ExecutionJob job(String tenant) {
        return job(tenant, PRIORITY);
    }

    private ExecutionJob job(String tenant, int priority) {
        return new ExecutionJob(ids.next(), tenant, priority, 0);
    }

    private List<ExecutionJob> flood(TenantFairQueue queue, String tenant, int many) {
        List<ExecutionJob> jobs =
                IntStream.range(0, many).mapToObj(i -> job(tenant)).toList();
        assertThat(jobs).allMatch(queue::offer);
        return jobs;
    }

    /** The jobs that the queue allows to send now. */
    private static List<TenantFairQueue.NextJob> sent(TenantFairQueue queue) {
        List<TenantFairQueue.NextJob> all = new ArrayList<>();
        try {
            for (var next = now(queue); next.isPresent(); next = now(queue)) {
                all.add(next.get());
            }
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return all;
    }

    private static Optional<TenantFairQueue.NextJob> now(TenantFairQueue queue) throws InterruptedException {
        return queue.queuedCount() == 0 ? Optional.empty() : queue.poll(0, TimeUnit.NANOSECONDS);
    }

    private static String tenants(List<TenantFairQueue.NextJob> jobs) {
        return jobs.stream().map(next -> next.job().tenant()).collect(Collectors.joining());
    }

    @Test
    void jobsOfASingleTenantAreSentInPriorityOrder() {
        TenantFairQueue queue = queue(100);
        ExecutionJob low = job("a", 0);
        ExecutionJob first = job("a", 5);
        ExecutionJob second = job("a", 5);
        ExecutionJob high = job("a", 9);
        assertThat(List.of(low, first, second, high)).allMatch(queue::offer);

        assertThat(sent(queue))
                .containsExactly(
                        new TenantFairQueue.NextJob(high, false),
                        new TenantFairQueue.NextJob(first, false),
                        new TenantFairQueue.NextJob(second, false),
                        new TenantFairQueue.NextJob(low, false));
        assertThat(queue.queuedCount()).isZero();
    }

    @Test
    void jobsInTheBrokerAreLimitedAndRefilled() {
        TenantFairQueue queue = queue(8);
        flood(queue, "a", 20);
        assertThat(sent(queue)).hasSize(8);
        assertThat(sent(queue)).isEmpty();

        queue.jobConsumed("a");
        queue.jobConsumed("a");
        assertThat(sent(queue)).hasSize(2);
        assertThat(queue.queuedCount()).isEqualTo(10);
    }

    @Test
    void idleTenantOvertakesABacklogOneJobAtATime() {
        TenantFairQueue queue = queue(8);
        flood(queue, "a", 40);
        assertThat(sent(queue)).noneMatch(TenantFairQueue.NextJob::priorityLane);

        List<ExecutionJob> others = flood(queue, "b", 3);
        List<TenantFairQueue.NextJob> next = sent(queue);
        assertThat(next).allMatch(TenantFairQueue.NextJob::priorityLane);
        assertThat(tenants(next)).isEqualTo("ab");

        queue.jobConsumed("b");
        assertThat(sent(queue)).containsExactly(new TenantFairQueue.NextJob(others.get(1), true));
        queue.jobConsumed("a");
        assertThat(tenants(sent(queue))).isEqualTo("a");
    }

    @Test
    void priorityLaneJobConsumedElsewhereBlocksOnlyForAWhile() {
        TenantFairQueue queue = queue(1);
        flood(queue, "a", 5);
        flood(queue, "b", 5);
        assertThat(tenants(sent(queue))).isEqualTo("ab");
        assertThat(sent(queue)).isEmpty();

        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(1_001));
        assertThat(sent(queue)).as("while nobody takes any").isEmpty();
        queue.setWaitingInBroker(1);
        assertThat(tenants(sent(queue))).isEqualTo("ab");
    }

    @Test
    void tenantsTakeTurnsByTheirWeights() {
        TenantFairQueue queue = queue(12, Map.of("b", 2));
        flood(queue, "a", 30);
        sent(queue);
        flood(queue, "b", 30);
        String ahead = tenants(sent(queue));
        assertThat(ahead).isEqualTo("abb");

        // The broker's queue is empty now. The jobs of the priority lane come before the turns and are not counted
        // here.
        queue.setWaitingInBroker(0);
        List<TenantFairQueue.NextJob> turns = sent(queue).stream()
                .filter(Predicate.not(TenantFairQueue.NextJob::priorityLane))
                .toList();
        assertThat(tenants(turns)).isEqualTo("abbabbabb");
    }

    @Test
    void jobIsQueuedOnceAndBacklogLeavesSpaceForOtherTenants() {
        TenantFairQueue queue = queue(1);
        List<ExecutionJob> jobs = flood(queue, "a", 50);
        assertThat(jobs).allMatch(queue::offer);
        assertThat(queue.queuedCount()).isEqualTo(50);
        assertThat(queue.offer(job("a"))).isFalse();

        flood(queue, "b", 50);
        assertThat(queue.offer(job("c"))).isFalse();
        assertThat(queue.isQueued("a", jobs.get(7).id())).isTrue();
        assertThat(queue.isQueued("b", jobs.get(7).id())).isFalse();
        sent(queue);
        assertThat(queue.offer(job("c"))).isTrue();
    }

    @Test
    void reportedBrokerCountReplacesTheEstimate() {
        TenantFairQueue queue = queue(4);
        flood(queue, "a", 20);
        assertThat(sent(queue)).hasSize(4);
        queue.setWaitingInBroker(4);
        assertThat(sent(queue)).isEmpty();
        queue.setWaitingInBroker(1);
        assertThat(sent(queue)).hasSize(3);
        queue.setWaitingInBroker(0);
        assertThat(sent(queue)).hasSize(4);
    }

    @Test
    void idleTenantsAreForgotten() {
        TenantFairQueue queue = queue(1_000);
        flood(queue, "gone", 1);
        assertThat(sent(queue)).hasSize(1);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(6));

        flood(queue, "a", 2);
        assertThat(sent(queue)).noneMatch(TenantFairQueue.NextJob::priorityLane);
    }

    /**
     * For any sequence of operations: the queue returns each job once, and never exceeds the limit of jobs in the
     * broker.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8, 13, 21, 34})
    void queueReturnsEachJobExactlyOnce(long seed) {
        RandomGenerator random = new java.util.Random(seed);
        int window = 1 + random.nextInt(12);
        TenantFairQueue queue = queue(window, Map.of("b", 3));
        Map<ExecutionId, String> offered = new ConcurrentHashMap<>();
        Set<ExecutionId> given = new HashSet<>();
        List<String> inBroker = new ArrayList<>();
        for (int step = 0; step < 2_000; step++) {
            switch (random.nextInt(4)) {
                case 0, 1 -> {
                    ExecutionJob job = job(List.of("a", "b", "c").get(random.nextInt(3)), random.nextInt(10));
                    if (queue.offer(job)) {
                        offered.put(job.id(), job.tenant());
                    }
                }
                case 2 -> {
                    if (!inBroker.isEmpty()) {
                        queue.jobConsumed(inBroker.remove(random.nextInt(inBroker.size())));
                    }
                }
                default -> {
                    for (TenantFairQueue.NextJob next : sent(queue)) {
                        assertThat(given.add(next.job().id())).isTrue();
                        inBroker.add(next.job().tenant());
                    }
                    assertThat(inBroker).hasSizeLessThanOrEqualTo(window + 5);
                }
            }
            nanos.addAndGet(1_000_000 / 10);
        }
        while (queue.queuedCount() > 0) {
            inBroker.forEach(queue::jobConsumed);
            inBroker.clear();
            sent(queue).forEach(next -> {
                assertThat(given.add(next.job().id())).isTrue();
                inBroker.add(next.job().tenant());
            });
        }
        assertThat(given).isEqualTo(offered.keySet());
    }

    @Test
    void senderIsWokenByNewJobsAndByFreedSlots() throws InterruptedException {
        TenantFairQueue queue =
                new TenantFairQueue(new TenantFairQueue.QueueBounds(3, 10_000, 10_000), tenant -> 1, System::nanoTime);
        int many = 5_000;
        Set<ExecutionId> seen = ConcurrentHashMap.newKeySet();
        Thread sender = new Thread(() -> {
            try {
                while (seen.size() < many) {
                    queue.poll(30, TimeUnit.SECONDS).ifPresent(next -> {
                        seen.add(next.job().id());
                        queue.jobConsumed(next.job().tenant());
                    });
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        sender.start();
        Set<ExecutionId> offered = new HashSet<>();
        for (int i = 0; i < many; i++) {
            ExecutionJob job = job(i % 3 == 0 ? "a" : "b");
            offered.add(job.id());
            assertThat(queue.offer(job)).isTrue();
        }
        sender.join();
        assertThat(seen).isEqualTo(offered);
    }
}
