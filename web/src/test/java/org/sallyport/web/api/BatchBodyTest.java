package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.sallyport.web.ProblemException;

class BatchBodyTest {
    private static BatchBody body(String source, Object value) {
        ObjectNode object = ExecutionMapper.object();
        object.put("maxParallel", 2).put("capability", "shop.tax").put("atomic", true);
        if (value instanceof String text) {
            object.put(source, text);
        } else {
            object.putArray(source).add(1).add("\ud800").addNull();
        }
        return BatchBody.of(object);
    }

    @Test
    void rowsBecomeLinesWithoutLoss() {
        BatchBody rows = body("rows", 1);

        assertThat(rows.format()).isEqualTo(BatchFormat.ROWS);
        assertThat(new String(rows.bytes(), StandardCharsets.UTF_8)).isEqualTo("1\n\"\\ud800\"\nnull\n");
    }

    @Test
    void csvThatIsNoTextInUnicodeIsRefused() {
        assertThat(new String(body("csv", "price\n\ud83d\ude00").bytes(), StandardCharsets.UTF_8))
                .isEqualTo("price\n\ud83d\ude00");
        assertThatThrownBy(() -> body("csv", "price\n\ud83d"))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("surrogate");
    }

    /** A client that repeats a request with its idempotency key after an upgrade must receive the same batch. */
    @Test
    void idempotencyFingerprintOfTheOptionsNeverChanges() {
        assertThat(body("rows", 1).fingerprint())
                .as("of Python's hashlib")
                .isEqualTo("d3df3a8ed98fc2eaeac45ed823bf97e81cc0a436db761a2d152e1cf9c70f17cc");
        assertThat(BatchFormat.ROWS.hashedName()).isEqualTo("rows");
        assertThat(BatchFormat.LINES.hashedName()).isEqualTo("true");
        assertThat(BatchFormat.JSON.hashedName()).isEqualTo("false");
        assertThat(BatchFormat.CSV.hashedName()).isEqualTo("csv");
    }
}
