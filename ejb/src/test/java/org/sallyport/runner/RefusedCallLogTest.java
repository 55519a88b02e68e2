package org.sallyport.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ExecutionId;
import org.sallyport.tool.ToolErrorCode;

/** Log lines about refused calls, with a clock that the test moves. */
class RefusedCallLogTest {
    private static final ExecutionId ID = new ExecutionId(new UUID(0, 1));

    private final LogRecorder log = LogRecorder.of(RefusedCallLog.class);
    private final AtomicLong nanos = new AtomicLong(-5);
    private final RefusedCallLog refused = new RefusedCallLog(nanos::get);

    @AfterEach
    void leave() {
        log.close();
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
        assertThat(log.lines())
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
        assertThat(log.lines()).hasSize(2).allSatisfy(line -> {
            assertThat(line).matches("[ -~]*");
            assertThat(line.length()).isLessThan(500);
        });
        assertThat(log.lines().get(0)).contains("\"mail.a\\nb\\r\\u2028").contains("{0} ${jndi:x}\\\"\"");
    }
}
