package org.sallyport.sandbox.pool;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.sandbox.protocol.ProtocolException;

class WorkerJsonTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                " true ",
                "-0.5",
                "1e+308",
                "5e-324",
                "0.1234",
                "\"\\ud800\u2028\"",
                "[]",
                "{}",
                "{\"a\":{\"a\":[1,{\"a\":2}]},\"b\":[{\"c\":1},{\"c\":2}]}",
                "{\"\":1,\"__proto__\":{}}"
            })
    void valueOfAScriptIsValid(String text) {
        assertThatCode(() -> WorkerJson.requireValid(text)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "{",
                "]",
                "1 2",
                "{}{}",
                "1},\"state\":\"COMPLETED\"",
                "{\"a\":1,\"a\":2}",
                "{\"a\":1,\"\\u0061\":2}",
                "[{\"b\":{\"a\":1,\"c\":{},\"a\":2}}]",
                "{a:1}",
                "'a'",
                "[1,]",
                "NaN",
                "01",
                "+1",
                "1e1000",
                "1e-1000",
                "1.5E+99999999",
                "\"\u0001\"",
                "/**/1"
            })
    void otherTextIsRefused(String text) {
        assertThatThrownBy(() -> WorkerJson.requireValid(text)).isInstanceOf(ProtocolException.class);
    }

    @Test
    void longestNumberAndDeepestValueOfAScriptAreValid() {
        assertThatCode(() -> WorkerJson.requireValid("-" + "9".repeat(1_000))).doesNotThrowAnyException();
        assertThatCode(() -> WorkerJson.requireValid("[".repeat(64) + "]".repeat(64)))
                .doesNotThrowAnyException();
        assertThatCode(() -> WorkerJson.requireValid("{\"" + "k".repeat(200_000) + "\":1}"))
                .doesNotThrowAnyException();
    }

    @Test
    void longerNumberAndDeeperValueAreRefused() {
        String number = "9".repeat(WorkerJson.MAX_NUMBER_LENGTH + 1);
        String deep = "[".repeat(WorkerJson.MAX_DEPTH + 1) + "]".repeat(WorkerJson.MAX_DEPTH + 1);
        for (String text : new String[] {number, "0." + number, deep, "[".repeat(1_000_000)}) {
            assertThatThrownBy(() -> WorkerJson.requireValid(text)).isInstanceOf(ProtocolException.class);
        }
    }
}
