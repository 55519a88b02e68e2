package org.sallyport.sandbox.pool;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.sallyport.sandbox.isolation.Isolation;

/** Workers without processes that keep their sessions until the test ends them. */
final class PooledPeers {
    /** A session, and the number of the worker that has it, from 0. */
    record Held(int worker, long session) {}

    private final List<HostilePeer> peers = new CopyOnWriteArrayList<>();
    private final List<Held> held = new CopyOnWriteArrayList<>();
    private volatile boolean failing;

    WorkerSandbox open(WorkerSettings settings) {
        return new WorkerSandbox(settings, (run, door) -> {
            Starter starter = token -> {
                if (failing) {
                    throw new IOException("no worker can be started, as the test says");
                }
                HostilePeer peer;
                int number;
                // Two may be started at once.
                synchronized (peers) {
                    int next = peers.size();
                    number = next;
                    peer = new HostilePeer(door, token, (self, shown) -> hold(self, shown, next));
                    peers.add(peer);
                }
                return new Started(peer, Files.createDirectory(run.resolve("w" + number)));
            };
            return new WorkerSandbox.Origin(starter, Isolation.none());
        });
    }

    private void hold(HostilePeer peer, String token, int number) throws IOException {
        peer.hello(token);
        while (true) {
            held.add(new Held(number, peer.awaitSession()));
        }
    }

    /** No more workers can be started from now on. */
    void fail() {
        failing = true;
    }

    int started() {
        return peers.size();
    }

    HostilePeer peer(int number) {
        return peers.get(number);
    }

    /** All sessions that began, oldest first. */
    List<Held> held() {
        return List.copyOf(held);
    }

    void end(Held session) throws IOException {
        peers.get(session.worker())
                .say("{\"is\":\"done\",\"session\":%d,\"end\":\"returned\",\"result\":\"1\"}"
                        .formatted(session.session()));
    }

    void beat(int worker, int heapPercent, boolean damaged) throws IOException {
        beat(worker, "", "", heapPercent, damaged);
    }

    /** Says that sessions of a worker compute. */
    void compute(int worker, String sessions, String megabytes) throws IOException {
        beat(worker, sessions, megabytes, 1, false);
    }

    private void beat(int worker, String sessions, String megabytes, int heapPercent, boolean damaged)
            throws IOException {
        peers.get(worker)
                .say("{\"is\":\"heartbeat\",\"computing\":[%s],\"allocated\":[%s],\"heapPercent\":%d,\"damaged\":%b}"
                        .formatted(sessions, megabytes, heapPercent, damaged));
    }
}
