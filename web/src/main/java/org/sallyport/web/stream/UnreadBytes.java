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
final class UnreadBytes {
    private final long maxBytes;
    /** In the order in which they stopped reading. */
    private final Map<Runnable, Long> stalledClients = new LinkedHashMap<>();

    private long totalBytes;

    /** @param most how many bytes may lie here */
    UnreadBytes(long most) {
        this.maxBytes = most;
    }

    /**
     * A client takes nothing at the moment.
     *
     * @param letGo ends his stream; the same when it {@link #clientResumed}
     * @param bytes what lies here for him
     */
    void clientStalled(Runnable letGo, long bytes) {
        List<Runnable> tooMany = new ArrayList<>();
        synchronized (stalledClients) {
            remove(letGo);
            stalledClients.put(letGo, bytes);
            totalBytes += bytes;
            Iterator<Map.Entry<Runnable, Long>> longest =
                    stalledClients.entrySet().iterator();
            while (totalBytes > maxBytes && longest.hasNext()) {
                Map.Entry<Runnable, Long> first = longest.next();
                totalBytes -= first.getValue();
                tooMany.add(first.getKey());
                longest.remove();
            }
        }
        tooMany.forEach(Runnable::run);
    }

    /** He takes something again, or has gone. */
    void clientResumed(Runnable letGo) {
        synchronized (stalledClients) {
            remove(letGo);
        }
    }

    private void remove(Runnable letGo) {
        Long bytes = stalledClients.remove(letGo);
        totalBytes -= bytes == null ? 0 : bytes;
    }

    /** How many bytes lie here. */
    long totalBytes() {
        synchronized (stalledClients) {
            return totalBytes;
        }
    }
}
