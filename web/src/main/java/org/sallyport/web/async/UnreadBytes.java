package org.sallyport.web.async;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts the bytes held for clients that do not read. When the total exceeds the limit, the clients that have been
 * stalled for the longest time are evicted. Thread-safe.
 */
final class UnreadBytes {
    private final long maxBytes;
    /** Eviction callbacks and their bytes, in the order in which the clients stalled. */
    private final Map<Runnable, Long> stalledClients = new LinkedHashMap<>();

    private long totalBytes;

    /** @param maxBytes maximum number of bytes held for stalled clients */
    UnreadBytes(long maxBytes) {
        this.maxBytes = maxBytes;
    }

    /**
     * Records that a client takes no bytes at the moment.
     *
     * @param letGo ends the stream of the client; {@link #clientResumed} takes the same instance
     * @param bytes the number of bytes held for the client
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

    /** Records that the client takes bytes again or has disconnected. */
    void clientResumed(Runnable letGo) {
        synchronized (stalledClients) {
            remove(letGo);
        }
    }

    private void remove(Runnable letGo) {
        Long bytes = stalledClients.remove(letGo);
        totalBytes -= bytes == null ? 0 : bytes;
    }

    /** Number of bytes held for stalled clients. */
    long totalBytes() {
        synchronized (stalledClients) {
            return totalBytes;
        }
    }
}
