package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.Cancellation;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.ExecutionState;
import org.sallyport.execution.Fence;
import org.sallyport.execution.Outcome;
import org.sallyport.execution.Parking;
import org.sallyport.execution.Pause;
import org.sallyport.execution.Together;
import org.sallyport.policy.Policy;
import org.sallyport.tool.CallId;
import org.sallyport.tool.Json;

/** What waits long for a tool or for an event holds no session; scripts see nothing of it. */
class ParkingRunTest {
    private static final Fence OTHER = new Fence(new ExecutionId(new UUID(0, 1)), 1);

    private final ScriptRuns runs = new ScriptRuns(tenant -> Policy.standard(), Duration.ofMillis(100));

    private static void await(Supplier<Boolean> what) throws InterruptedException {
        Together.await(Duration.ofSeconds(60), what);
    }

    private ExecutionState state(ExecutionId id) {
        return runs.store.row(id).state;
    }

    private Parking parking(ExecutionId id) {
        return Objects.requireNonNull(runs.store.row(id).parking);
    }

    private String result(ExecutionId id) {
        Outcome outcome = runs.store.row(id).outcome;
        return outcome instanceof Outcome.Completed completed
                ? completed.result().text()
                : String.valueOf(outcome);
    }

    private ExecutionId parked(Runner node, String code) throws InterruptedException {
        ExecutionId id = runs.accept(code, Optional.empty());
        node.run(id);
        awaitState(node, id, ExecutionState.WAITING);
        await(() -> node.liveCount() == 0);
        return id;
    }

    private void awaitState(Runner node, ExecutionId id, ExecutionState state) throws InterruptedException {
        await(() -> {
            node.look();
            return state(id) == state;
        });
    }

    @Test
    void whoWaitsForASlowToolHoldsNoPlaceAndGoesOnWithItsAnswer() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);

        ExecutionId id = parked(node, "console.log('begun'); return await b.effect({ n: 1 })");
        assertThat(parking(id).reason()).isEqualTo(Pause.Reason.TOOL);
        assertThat(parking(id).node()).isPresent();
        assertThat(node.freePlaces()).isEqualTo(8);
        runs.world.let();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.world.take()).containsExactly("1 effect");
        assertThat(runs.store.row(id).out).hasToString("begun\n");
    }

    @Test
    void severalAnswersComeWhileItIsParkedAndAfterwards() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);

        ExecutionId id = parked(
                node, "const all = await Promise.all([b.effect({ n: 1 }), b.effect({ n: 2 })]); return all.length");
        runs.world.let();
        await(() -> runs.store.row(id).attempt == 2);
        awaitState(node, id, ExecutionState.WAITING);
        runs.world.let();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("2");
        assertThat(runs.world.take()).containsExactlyInAnyOrder("1 effect", "2 effect");
    }

    @Test
    void whoSetsALimitOfItsOwnGoesOnWhenThatHasPassed() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);

        ExecutionId id =
                parked(node, "return await Promise.race([b.effect({ n: 1 }), sleep('2s').then(() => 'too late')])");

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("\"too late\"");
        assertThat(runs.world.take()).containsExactly("1 effect");
    }

    @Test
    void whatIsCancelledWhileItIsParkedHasItsCallWithdrawn() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");

        assertThat(runs.store.cancel("t", id)).isEqualTo(new Cancellation.Done(true));
        assertThat(node.cancel(id)).isTrue();

        assertThat(runs.world.cancelled()).containsExactly(new CallId(id.toString(), 1));
        runs.world.let();
        node.look();
        assertThat(state(id)).isEqualTo(ExecutionState.CANCELLED);
        assertThat(node.cancel(id)).isFalse();
    }

    @Test
    void jobThatComesTwiceLosesNoAnswer() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");

        node.run(id);
        assertThat(state(id)).isEqualTo(ExecutionState.WAITING);
        runs.world.let();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
    }

    @Test
    void whoeverWakesItTheAnswersAreItsOwn() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");

        assertThat(runs.store.wake(1, Duration.ZERO)).hasSize(1);
        node.run(id);
        awaitState(node, id, ExecutionState.WAITING);
        runs.world.let();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.world.take()).containsExactly("1 effect");
    }

    @Test
    void whatGoesOnWaitsForAPlaceAndComesBeforeWhatIsNew() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(1);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");
        // A timer that is always due soon: however long its call takes, it is not parked for it.
        ExecutionId other = runs.accept(
                "const id = setInterval(() => 0, 5); await b.again({ n: 2 }); clearInterval(id); return 2",
                Optional.empty());
        node.run(other);
        await(() -> runs.world.heldBack() == 2);
        assertThat(node.freePlaces()).isZero();

        runs.world.let();
        node.look();
        assertThat(state(id)).isEqualTo(ExecutionState.WAITING);
        runs.world.let();

        await(() -> state(other).terminal() && state(id).terminal());
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        await(() -> node.freePlaces() == 1);
    }

    @Test
    void nodeThatIsStoppedWaitsForAnswersAsForWhatRuns() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");
        Thread closing = new Thread(() -> node.close(20_000));
        closing.start();

        runs.world.let();

        closing.join();
        assertThat(state(id)).isEqualTo(ExecutionState.COMPLETED);
    }

    @Test
    void answersOfANodeThatLostItsLeaseAreForNobody() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);
        ExecutionId id = parked(node, "return await b.again({ n: 1 })");

        node.stop();
        runs.world.let();
        node.look();

        assertThat(state(id)).isEqualTo(ExecutionState.WAITING);
        assertThat(node.freePlaces()).isEqualTo(8);
    }

    @Test
    void storeThatIsAwayLosesNoAnswer() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");

        runs.store.failNext(1);
        runs.world.let();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
    }

    @Test
    void storeThatIsAwayOnceItIsWokenLosesNoAnswer() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);
        ExecutionId id = parked(node, "return await b.effect({ n: 1 })");

        runs.store.failNextClaim();
        runs.world.let();

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("{\"echo\":{\"n\":1}}");
        assertThat(runs.world.take()).containsExactly("1 effect");
    }

    @Test
    void whoWaitsForAnEventIsParkedForItAndItsTimeOutStays() throws InterruptedException {
        Runner node = runs.node(8);

        ExecutionId id = parked(
                node, "const e = await events.next('paid', { timeout: '1m' }); return e === null ? 'none' : e.data");
        Parking parking = parking(id);
        assertThat(parking.reason()).isEqualTo(Pause.Reason.EVENT);
        assertThat(parking.events()).containsExactly(new Parking.EventWait("paid", 0));
        assertThat(parking.most()).isLessThan(Duration.ofMinutes(1));
        assertThat(parking.node()).isEmpty();
        runs.store.wake(1, Duration.ZERO);
        node.run(id);

        awaitState(node, id, ExecutionState.WAITING);
        // Not once more a minute.
        assertThat(parking(id).most()).isLessThan(parking.most());
    }

    @Test
    void whoIsWokenByAnEventHearsIt() throws InterruptedException {
        Runner node = runs.node(8);
        ExecutionId id = parked(node, "return (await events.next('paid')).data");
        assertThat(parking(id).most()).isGreaterThan(Duration.ofDays(29));

        runs.events.emit("t", OTHER, 1, "paid", new Json("7"));
        runs.store.wake(1, Duration.ZERO);
        node.run(id);

        awaitState(node, id, ExecutionState.COMPLETED);
        assertThat(result(id)).isEqualTo("7");
    }

    @Test
    void whoWaitsForAToolAndForAnEventIsParkedOnceTheToolHasAnswered() throws InterruptedException {
        runs.world.hold();
        Runner node = runs.node(8);
        ExecutionId id = runs.accept(
                "const e = events.next('paid'); const r = await b.effect({ n: 1 }); return [r.echo.n, (await e).data]",
                Optional.empty());
        node.run(id);
        await(() -> runs.world.heldBack() == 1);
        for (long end = System.nanoTime() + 500_000_000L; System.nanoTime() < end; ) {
            node.look();
            assertThat(state(id)).isEqualTo(ExecutionState.RUNNING);
        }

        runs.world.let();
        awaitState(node, id, ExecutionState.WAITING);
        assertThat(parking(id).reason()).isEqualTo(Pause.Reason.EVENT);
        assertThat(parking(id).events()).hasSize(1);
    }
}
