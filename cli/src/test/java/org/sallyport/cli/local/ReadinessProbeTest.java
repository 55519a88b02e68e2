package org.sallyport.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sallyport.cli.local.ReadinessProbe.ReadinessStatus;

class ReadinessProbeTest {
    @Test
    void readyNeedsAtLeastOneCheck() {
        assertThat(status(200, "{\"status\":\"UP\",\"checks\":[{\"name\":\"db\",\"status\":\"UP\"}]}"))
                .isEqualTo(ReadinessStatus.READY);
        assertThat(status(200, "{\"status\":\"UP\",\"checks\":[]}")).isEqualTo(ReadinessStatus.NOT_READY);
        assertThat(status(503, "{\"status\":\"DOWN\",\"checks\":[{\"name\":\"db\",\"status\":\"DOWN\"}]}"))
                .isEqualTo(ReadinessStatus.NOT_READY);
    }

    @Test
    void otherProgramsAreNotMistakenForTheService() {
        assertThat(status(200, "<html>Welcome</html>")).isEqualTo(ReadinessStatus.STRANGE);
        assertThat(status(200, "{\"status\":\"UP\"}")).isEqualTo(ReadinessStatus.STRANGE);
        assertThat(status(404, "")).isEqualTo(ReadinessStatus.STRANGE);
    }

    private static ReadinessStatus status(int httpStatus, String body) {
        return ReadinessProbe.parse(httpStatus, body).status();
    }
}
