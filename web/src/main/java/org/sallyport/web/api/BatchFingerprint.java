package org.sallyport.web.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import org.sallyport.web.ProblemException;

/**
 * The hash of the body of a batch, by which a request is recognized that is sent again with its idempotency key. It is
 * the hash of the JSON values. A body in CSV, and a body with an item that cannot be read, is compared by its bytes.
 */
final class BatchFingerprint {
    private BatchFingerprint() {}

    /**
     * The hash, hexadecimal.
     *
     * @param maxItemBytes maximum size of an item that is read, in bytes
     * @param maxItems maximum number of items
     * @throws ProblemException if the body is not JSON although its format says so
     */
    static String of(BatchFormat format, SpooledBody body, long maxItemBytes, int maxItems) {
        if (format == BatchFormat.CSV) {
            return body.sha256();
        }
        BatchItemIndex index = format == BatchFormat.JSON
                ? BatchItemIndex.ofJson(body, maxItemBytes, maxItems)
                : BatchItemIndex.ofLines(body, maxItemBytes, maxItems);
        if (index.count() > maxItems) {
            return body.sha256();
        }
        CanonicalJsonHash hash = new CanonicalJsonHash()
                .add(JsonNodeFactory.instance.booleanNode(index.isTopLevelArray()))
                .add(index.header());
        try {
            for (int i = 0; i < index.count(); i++) {
                hash.add(index.value(body, i));
            }
        } catch (ProblemException e) {
            return body.sha256();
        }
        return hash.hex();
    }
}
