package org.sallyport.cli.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.sallyport.cli.local.Readiness.Status;

class ReadinessTest {
    @Test
    void readyNeedsAtLeastOneCheck() {
        assertThat(status(200, "{\"status\":\"UP\",\"checks\":[{\"name\":\"db\",\"status\":\"UP\"}]}"))
                .isEqualTo(Status.READY);
        assertThat(status(200, "{\"status\":\"UP\",\"checks\":[]}")).isEqualTo(Status.NOT_READY);
        assertThat(status(503, "{\"status\":\"DOWN\",\"checks\":[{\"name\":\"db\",\"status\":\"DOWN\"}]}"))
                .isEqualTo(Status.NOT_READY);
    }

    @Test
    void otherProgramsAreNotTakenForTheService() {
        assertThat(status(200, "<html>Welcome</html>")).isEqualTo(Status.STRANGE);
        assertThat(status(200, "{\"status\":\"UP\"}")).isEqualTo(Status.STRANGE);
        assertThat(status(404, "")).isEqualTo(Status.STRANGE);
    }

    private static Status status(int httpStatus, String body) {
        return Readiness.read(httpStatus, body).status();
    }
}
