package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.ToolErrorCode;

/** Log lines about refused calls, with a clock that the test moves. */
class RefusedCallLogTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(0, 1));

    // The field keeps the logger alive: the platform discards loggers without a strong reference.
    private final Logger logger = Logger.getLogger(RefusedCallLog.class.getName());
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final AtomicLong nanos = new AtomicLong(-5);
    private final RefusedCallLog refused = new RefusedCallLog(nanos::get);
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            lines.add(new SimpleFormatter().formatMessage(record));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    @BeforeEach
    void listen() {
        logger.addHandler(handler);
    }

    @AfterEach
    void leave() {
        logger.removeHandler(handler);
    }

    private void refuse(String tenant, String tool) {
        refused.recordRefusal(tenant, ID, "mail." + tool, ToolErrorCode.DENIED, Optional.of("no-leak"));
    }

    @Test
    void refusalsOfEachTenantAreLoggedOnceAMinuteWithTheirCount() {
        refuse("t", "send");
        refuse("t", "send");
        refuse("u", "send");
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1) - 1);
        refuse("t", "send");
        nanos.addAndGet(1);
        refused.recordRefusal("t", ID, "b.c", ToolErrorCode.NOT_GRANTED, Optional.empty());
        assertThat(lines)
                .containsExactly(
                        "execution " + ID
                                + ": a call of \"mail.send\" was refused: denied, rule \"no-leak\""
                                + " (1 refused calls of its tenant so far)",
                        "execution " + ID
                                + ": a call of \"mail.send\" was refused: denied, rule \"no-leak\""
                                + " (1 refused calls of its tenant so far)",
                        "execution " + ID
                                + ": a call of \"b.c\" was refused: not-granted"
                                + " (4 refused calls of its tenant so far)");
    }

    @Test
    void hostileToolNamesCannotBreakTheLogLine() {
        refuse("t", "a\nb\r\u2028\u0085\u0000\u001b[2J\uD800\u202E{0} ${jndi:x}\"");
        refuse("u", "x".repeat(10_000));
        assertThat(lines).hasSize(2).allSatisfy(line -> {
            assertThat(line).matches("[ -~]*");
            assertThat(line.length()).isLessThan(500);
        });
        assertThat(lines.get(0)).contains("\"mail.a\\nb\\r\\u2028").contains("{0} ${jndi:x}\\\"\"");
    }
}
