package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

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
                        .run()
                        .options()
                        .admission()
                        .concurrencyKey())
                .contains("printer");
    }

    private static JsonMembers schedule(String member) {
        return JsonMembersTest.members(
                "{\"name\":\"nightly\",\"everyMillis\":60000,\"run\":{\"code\":\"return 1\"," + member + "}}");
    }
}
