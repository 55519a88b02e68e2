package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.sallyport.sandbox.isolation.Isolation;

/** A pool of fake workers without processes. The workers keep their sessions until the test ends them. */
final class FakeWorkerPool {
    /** A session and the number, from 0, of the worker that runs it. */
    record HeldWorkerSession(int worker, long session) {}

    private final List<FakeWorkerProcess> peers = new CopyOnWriteArrayList<>();
    private final List<HeldWorkerSession> heldSessions = new CopyOnWriteArrayList<>();
    private volatile boolean startsFail;
    private volatile CountDownLatch startsAllowed = new CountDownLatch(0);

    /** Opens a sandbox whose workers have the numbers from 0. The sandbox that was open before must be closed. */
    WorkerSandbox open(WorkerSettings settings) {
        peers.clear();
        heldSessions.clear();
        return new WorkerSandbox(settings, (run, door) -> {
            WorkerStarter starter = token -> {
                awaitStartsAllowed();
                if (startsFail) {
                    throw new IOException("no worker can be started, as the test says");
                }
                FakeWorkerProcess peer;
                int number;
                // The pool may start two workers at the same time.
                synchronized (peers) {
                    int next = peers.size();
                    number = next;
                    peer = new FakeWorkerProcess(door, token, (self, shown) -> holdSessions(self, shown, next));
                    peers.add(peer);
                }
                return new StartedWorkerProcess(peer, Files.createDirectory(run.resolve("w" + number)));
            };
            return new WorkerSandbox.WorkerRuntime(starter, Isolation.none());
        });
    }

    private void holdSessions(FakeWorkerProcess peer, String token, int number) throws IOException {
        peer.sendHello(token);
        while (true) {
            heldSessions.add(new HeldWorkerSession(number, peer.awaitSession()));
        }
    }

    private void awaitStartsAllowed() throws IOException {
        try {
            startsAllowed.await();
        } catch (InterruptedException closing) {
            throw new IOException("the pool closes", closing);
        }
    }

    /** Makes all later starts of workers wait for {@link #allowStarts}. */
    void holdStarts() {
        startsAllowed = new CountDownLatch(1);
    }

    void allowStarts() {
        startsAllowed.countDown();
    }

    /** Sets whether all later starts of workers fail. */
    void failStarts(boolean fail) {
        startsFail = fail;
    }

    int startedCount() {
        return peers.size();
    }

    FakeWorkerProcess peer(int number) {
        return peers.get(number);
    }

    /** Returns all sessions that were started, oldest first. */
    List<HeldWorkerSession> heldSessions() {
        return List.copyOf(heldSessions);
    }

    void endSession(HeldWorkerSession session) throws IOException {
        peers.get(session.worker())
                .sendJson("{\"is\":\"done\",\"session\":%d,\"end\":\"returned\",\"result\":\"1\"}"
                        .formatted(session.session()));
    }

    void endCancelledSession(HeldWorkerSession session) throws IOException {
        peers.get(session.worker())
                .sendJson("{\"is\":\"done\",\"session\":%d,\"end\":\"cancelled\"}".formatted(session.session()));
    }

    /** Prints {@code x} to the output of the session. */
    void print(HeldWorkerSession session) throws IOException {
        peers.get(session.worker())
                .sendJson("{\"is\":\"output\",\"session\":%d,\"stream\":\"OUT\",\"text\":\"x\"}"
                        .formatted(session.session()));
    }

    void sendHeartbeat(int worker, int heapPercent, boolean damaged) throws IOException {
        sendHeartbeat(worker, "", "", heapPercent, damaged);
    }

    /** Sends a heartbeat that reports sessions of a worker as computing. */
    void reportComputing(int worker, String sessions, String megabytes) throws IOException {
        sendHeartbeat(worker, sessions, megabytes, 1, false);
    }

    private void sendHeartbeat(int worker, String sessions, String megabytes, int heapPercent, boolean damaged)
            throws IOException {
        peers.get(worker)
                .sendJson(
                        "{\"is\":\"heartbeat\",\"computing\":[%s],\"allocated\":[%s],\"heapPercent\":%d,\"damaged\":%b}"
                                .formatted(sessions, megabytes, heapPercent, damaged));
    }
}
