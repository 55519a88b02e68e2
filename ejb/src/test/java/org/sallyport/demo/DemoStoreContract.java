package org.sallyport.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.sallyport.execution.ConcurrencyTestUtil;
import org.sallyport.tool.Json;

/** Contract of {@link DemoStore}, for every implementation. Each test starts with an empty store. */
public abstract class DemoStoreContract {
    private static final String TENANT = "tenant-a";
    private static final int LIMIT = 100;

    protected abstract DemoStore demo();

    @Test
    void getReturnsTheLastValue() {
        assertThat(demo().get(TENANT, "k")).isEmpty();
        demo().put(TENANT, "k", new Json("1"));
        demo().put(TENANT, "k", new Json("{\"a\":\"\u2028\"}"));
        demo().put("tenant-b", "k", new Json("3"));
        assertThat(demo().get(TENANT, "k")).contains(new Json("{\"a\":\"\u2028\"}"));
        assertThat(demo().get("tenant-b", "k")).contains(new Json("3"));
    }

    @Test
    void anyKeyWorks() {
        demo().put(TENANT, "\u0000\uD800", new Json("\"\uD800\""));
        demo().put(TENANT, "", new Json("2"));
        assertThat(demo().get(TENANT, "\u0000\uD800")).contains(new Json("\"\\ud800\""));
        assertThat(demo().get(TENANT, "")).contains(new Json("2"));
    }

    @Test
    void concurrentPutsLeaveOneValue() throws Exception {
        ConcurrencyTestUtil.runConcurrently(16, n -> {
            demo().put(TENANT, "k", new Json("7"));
            return n;
        });
        assertThat(demo().get(TENANT, "k")).contains(new Json("7"));
    }

    @Test
    void counterIncrementsOncePerCall() {
        assertThat(demo().count(TENANT, "c")).isZero();
        assertThat(demo().increment(TENANT, "c", 2, "x/1")).isEqualTo(2);
        assertThat(demo().increment(TENANT, "c", -5, "x/2")).isEqualTo(-3);
        assertThat(demo().increment(TENANT, "c", 2, "x/1")).isEqualTo(-3);
        assertThat(demo().increment(TENANT, "d", 2, "x/1")).isEqualTo(2);
        assertThat(demo().increment("tenant-b", "c", 9, "x/1")).isEqualTo(9);
        assertThat(demo().count(TENANT, "c")).isEqualTo(-3);
        assertThat(demo().ledger(TENANT, "c", LIMIT)).containsExactly("x/1", "x/2");
        assertThat(demo().ledger(TENANT, "none", LIMIT)).isEmpty();
    }

    @Test
    void concurrentIncrementsAreAllCounted() throws Exception {
        List<Long> counts =
                ConcurrencyTestUtil.runConcurrently(32, n -> demo().increment(TENANT, "c", 1, "x/" + n / 2));
        assertThat(counts).allMatch(count -> count >= 1 && count <= 16);
        assertThat(demo().count(TENANT, "c")).isEqualTo(16);
        assertThat(demo().ledger(TENANT, "c", LIMIT)).hasSize(16).doesNotHaveDuplicates();
    }

    @Test
    void outboxKeepsTheMailOfEveryCallInOrder() {
        List<Json> mails = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Json mail = new Json("{\"n\":" + i + "}");
            mails.add(mail);
            demo().recordMail(TENANT, "x/" + i, mail);
        }
        demo().recordMail("tenant-b", "x/1", new Json("{}"));
        assertThat(demo().outbox(TENANT, LIMIT)).isEqualTo(mails);
        assertThat(demo().outbox("tenant-b", LIMIT)).containsExactly(new Json("{}"));
        assertThat(demo().outbox("none", LIMIT)).isEmpty();
    }

    @Test
    void listsEndWithTheLastEntries() {
        for (int i = 1; i <= 5; i++) {
            demo().increment(TENANT, "c", 1, "x/" + i);
            demo().recordMail(TENANT, "x/" + i, new Json(Integer.toString(i)));
        }
        assertThat(demo().ledger(TENANT, "c", 2)).containsExactly("x/4", "x/5");
        assertThat(demo().outbox(TENANT, 2)).containsExactly(new Json("4"), new Json("5"));
    }

    @Test
    void repeatedCallSendsOneMail() {
        demo().recordMail(TENANT, "x/1", new Json("1"));
        demo().recordMail(TENANT, "x/2", new Json("2"));
        demo().recordMail(TENANT, "x/1", new Json("1"));
        assertThat(demo().outbox(TENANT, LIMIT)).containsExactly(new Json("1"), new Json("2"));
    }

    @Test
    void concurrentRepetitionsOfACallSendOneMail() throws Exception {
        ConcurrencyTestUtil.runConcurrently(16, n -> {
            demo().recordMail(TENANT, "x/1", new Json("1"));
            return n;
        });
        assertThat(demo().outbox(TENANT, LIMIT)).containsExactly(new Json("1"));
    }
}
