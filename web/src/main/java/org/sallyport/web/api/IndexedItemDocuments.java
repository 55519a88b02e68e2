package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.function.IntFunction;
import org.sallyport.web.ProblemException;

/** The items of a JSON body, or of a body of lines: submissions, or rows that are the arguments of one capability. */
final class IndexedItemDocuments implements BatchItemDocuments {
    private final BatchItemIndex index;
    private final boolean hasLines;
    private final IntFunction<ItemDocument> reader;

    private IndexedItemDocuments(BatchItemIndex index, boolean hasLines, IntFunction<ItemDocument> reader) {
        this.index = index;
        this.hasLines = hasLines;
        this.reader = reader;
    }

    static BatchItemDocuments submissions(SpooledBody body, BatchItemIndex index) {
        return new IndexedItemDocuments(index, true, number -> {
            // Not in the try block: without memory, the whole batch is refused.
            Optional<byte[]> json = index.bytes(body, number);
            try {
                return ItemDocument.of(index.item(number, json));
            } catch (ProblemException e) {
                return ItemDocument.unreadable(e.problem());
            }
        });
    }

    /**
     * Each item is a JSON value, which becomes {@code args}.
     *
     * @param hasLines whether the lines of the body are those of the client
     */
    static BatchItemDocuments arguments(SpooledBody body, BatchItemIndex index, boolean hasLines) {
        return new IndexedItemDocuments(index, hasLines, number -> {
            Optional<byte[]> json = index.bytes(body, number);
            try {
                JsonNode arguments = index.value(number, json);
                return ItemDocument.of(ExecutionMapper.object().set("args", arguments))
                        .withRow(arguments);
            } catch (ProblemException e) {
                return ItemDocument.unreadable(e.problem());
            }
        });
    }

    @Override
    public int count() {
        return index.count();
    }

    @Override
    public long line(int number) {
        return hasLines ? index.line(number) : 0;
    }

    @Override
    public Iterator<ItemDocument> read() {
        return new Iterator<>() {
            private int next;

            @Override
            public boolean hasNext() {
                return next < index.count();
            }

            @Override
            public ItemDocument next() {
                if (!hasNext()) {
                    throw new NoSuchElementException();
                }
                return reader.apply(next++);
            }
        };
    }
}
