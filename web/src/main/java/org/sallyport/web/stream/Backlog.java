package org.sallyport.web.stream;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What lies here for clients who do not read: when it is too much, those who have read nothing for longest are let go.
 * Thread-safe.
 */
final class Backlog {
    private final long most;
    /** In the order in which they stopped reading. */
    private final Map<Runnable, Long> standing = new LinkedHashMap<>();

    private long held;

    /** @param most how many bytes may lie here */
    Backlog(long most) {
        this.most = most;
    }

    /**
     * A client takes nothing at the moment.
     *
     * @param letGo ends his stream; the same when it {@link #moves}
     * @param bytes what lies here for him
     */
    void stands(Runnable letGo, long bytes) {
        List<Runnable> tooMany = new ArrayList<>();
        synchronized (standing) {
            remove(letGo);
            standing.put(letGo, bytes);
            held += bytes;
            Iterator<Map.Entry<Runnable, Long>> longest = standing.entrySet().iterator();
            while (held > most && longest.hasNext()) {
                Map.Entry<Runnable, Long> first = longest.next();
                held -= first.getValue();
                tooMany.add(first.getKey());
                longest.remove();
            }
        }
        tooMany.forEach(Runnable::run);
    }

    /** He takes something again, or has gone. */
    void moves(Runnable letGo) {
        synchronized (standing) {
            remove(letGo);
        }
    }

    private void remove(Runnable letGo) {
        Long bytes = standing.remove(letGo);
        held -= bytes == null ? 0 : bytes;
    }

    /** How many bytes lie here. */
    long heldBytes() {
        synchronized (standing) {
            return held;
        }
    }
}
