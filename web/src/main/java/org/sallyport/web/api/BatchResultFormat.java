package org.sallyport.web.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import org.sallyport.batch.BatchItem;
import org.sallyport.execution.Execution;
import org.sallyport.tool.Json;
import org.sallyport.web.JsonUtf8Writer;

/** How the results of a batch are written, one item after the other. */
interface BatchResultFormat {

    String mediaType();

    /** The bytes before the first item; may be empty. */
    byte[] header();

    /**
     * One item with the result of its execution, as far as available.
     *
     * @param row the row of which the item was made
     */
    byte[] item(BatchItem item, Optional<Execution> execution, Optional<Json> row);

    /** A JSON object on a line for each item. */
    final class JsonLines implements BatchResultFormat {
        static final String MEDIA_TYPE = "application/x-ndjson";

        @Override
        public String mediaType() {
            return MEDIA_TYPE;
        }

        @Override
        public byte[] header() {
            return new byte[0];
        }

        @Override
        public byte[] item(BatchItem item, Optional<Execution> execution, Optional<Json> row) {
            ObjectNode json = BatchMapper.result(item, execution);
            row.ifPresent(source -> json.set("row", ExecutionMapper.raw(source)));
            byte[] bytes = JsonUtf8Writer.bytes(json);
            byte[] line = Arrays.copyOf(bytes, bytes.length + 1);
            line[bytes.length] = '\n';
            return line;
        }
    }

    /** The text of a value in a cell: a text as it is, anything else as JSON. */
    static String cellText(JsonNode value) {
        return value.isTextual() ? value.textValue() : new String(JsonUtf8Writer.bytes(value), StandardCharsets.UTF_8);
    }
}
