package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.sallyport.web.ProblemException;

/**
 * The hash of the body of a batch, by which a request is recognized that is sent again with its idempotency key. It is
 * the hash of the JSON values, in which an item that is not JSON counts with its bytes. A body in CSV is compared by
 * its bytes, and so is a body with too many items, with an item that is too large, or with one that is no object in an
 * array of submissions.
 */
final class BatchFingerprint {
    private BatchFingerprint() {}

    /**
     * The hash, hexadecimal.
     *
     * @param memory reserves bytes, before something is read and parsed
     * @throws ProblemException if the body is not JSON although its format says so, or has an unknown member
     */
    static String of(BatchFormat format, SpooledBody body, BatchBodyLimits limits, LongConsumer memory) {
        if (format == BatchFormat.CSV) {
            return body.sha256();
        }
        BatchItemIndex index = format == BatchFormat.JSON
                ? BatchItemIndex.ofJson(body, limits, memory)
                : BatchItemIndex.ofLines(body, limits, memory);
        if (index.count() > limits.maxItems()) {
            return body.sha256();
        }
        CanonicalJsonHash hash = new CanonicalJsonHash()
                .add(JsonNodeFactory.instance.booleanNode(index.isTopLevelArray()))
                .add(index.header());
        for (int i = 0; i < index.count(); i++) {
            Optional<byte[]> item = index.bytes(body, i);
            if (item.isEmpty()) {
                return body.sha256();
            }
            addItem(hash, item.get());
        }
        return hash.hex();
    }

    private static void addItem(CanonicalJsonHash hash, byte[] item) {
        JsonNode value = parse(item);
        if (value.isMissingNode()) {
            hash.add(withoutLineEnd(item));
        } else {
            hash.add(value);
        }
    }

    /** The value of an item; a missing node if it is not JSON. */
    private static JsonNode parse(byte[] item) {
        try {
            return BoundedJson.parseTree(item);
        } catch (ProblemException e) {
            return MissingNode.getInstance();
        }
    }

    /** Lines end with LF, which is no part of the item, or with CR LF. */
    private static byte[] withoutLineEnd(byte[] item) {
        int end = item.length;
        while (end > 0 && item[end - 1] == '\r') {
            end--;
        }
        return Arrays.copyOf(item, end);
    }
}
