package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.sallyport.submission.ScheduledWork;
import org.sallyport.tool.Json;
import org.sallyport.web.ProblemException;

class ScheduleReaderTest {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"notBefore\":\"2026-06-08T15:00:00Z\"",
                "\"delayMillis\":5",
                "\"deadline\":\"2026-06-08T15:00:00Z\""
            })
    void scheduledSubmissionMayNotSetItsOwnTimes(String member) {
        assertThat(ProblemAssertions.invalidMemberOf(() -> ScheduleReader.read(schedule(member))))
                .isEqualTo("run." + member.substring(1, member.indexOf('"', 1)));
    }

    @Test
    void scheduledSubmissionMaySetAConcurrencyKey() {
        assertThat(ScheduleReader.read(schedule("\"concurrencyKey\":\"printer\""))
                        .work())
                .isInstanceOfSatisfying(
                        ScheduledWork.SingleRun.class,
                        run -> assertThat(run.request().options().admission().concurrencyKey())
                                .contains("printer"));
    }

    @Test
    void optionsOfABatchOfRowsAreKept() {
        assertThat(ScheduleReader.read(batch("\"batch\":{\"capability\":\"shop.refund\",\"maxParallel\":4}"))
                        .work())
                .isEqualTo(new ScheduledWork.RowsBatch(new Json("{\"capability\":\"shop.refund\",\"maxParallel\":4}")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"batch\":{\"capability\":\"c\"},\"run\":{\"code\":\"1\"}|batch",
                "\"batch\":7|batch",
                "\"overlap\":\"skip\"|run"
            })
    void scheduleRunsOneOfBoth(String members, String member) {
        assertThat(ProblemAssertions.invalidMemberOf(() -> ScheduleReader.read(batch(members))))
                .isEqualTo(member);
    }

    @Test
    void unknownOptionOfABatchIsRefused() {
        assertThatThrownBy(() -> ScheduleReader.read(batch("\"batch\":{\"capability\":\"c\",\"items\":[]}")))
                .isInstanceOf(ProblemException.class)
                .hasMessageContaining("batch.items");
    }

    private static JsonMembers batch(String members) {
        return JsonMembersTest.members("{\"name\":\"nightly\",\"everyMillis\":60000," + members + "}");
    }

    private static JsonMembers schedule(String member) {
        return JsonMembersTest.members(
                "{\"name\":\"nightly\",\"everyMillis\":60000,\"run\":{\"code\":\"return 1\"," + member + "}}");
    }
}
