package org.sallyport.web.api;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.ClientErrorException;
import jakarta.ws.rs.InternalServerErrorException;
import jakarta.ws.rs.NotAcceptableException;
import jakarta.ws.rs.NotAllowedException;
import jakarta.ws.rs.NotFoundException;
import jakarta.ws.rs.NotSupportedException;
import jakarta.ws.rs.core.Response;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.sallyport.execution.BatchId;
import org.sallyport.execution.ExecutionId;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.submission.InvalidSubmissionException;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.openapi.ApiDescription;

class ProblemMapperTest {
    private final ApiDescription description = ApiDescription.read();

    static Stream<Arguments> exceptionIsMappedToItsProblem() {
        return Stream.of(
                Arguments.of(new ProblemException(ProblemType.NOT_FOUND, "gone"), ProblemType.NOT_FOUND),
                Arguments.of(
                        new CompletionException(new ProblemException(ProblemType.SYNTAX_ERROR, "bad")),
                        ProblemType.SYNTAX_ERROR),
                Arguments.of(
                        new CompletionException(new CompletionException(
                                new StoreUnavailableException("no answer", new IllegalStateException()))),
                        ProblemType.UNAVAILABLE),
                Arguments.of(
                        new InvalidSubmissionException("limits.wallMillis", "must be positive"),
                        ProblemType.VALIDATION),
                Arguments.of(new NotFoundException(), ProblemType.NOT_FOUND),
                Arguments.of(new NotAllowedException("GET"), ProblemType.METHOD_NOT_ALLOWED),
                Arguments.of(new NotAcceptableException(), ProblemType.NOT_ACCEPTABLE),
                Arguments.of(new NotSupportedException(), ProblemType.UNSUPPORTED_MEDIA_TYPE),
                Arguments.of(new BadRequestException(), ProblemType.VALIDATION),
                Arguments.of(new ClientErrorException(418), ProblemType.VALIDATION),
                Arguments.of(new InternalServerErrorException(), ProblemType.INTERNAL_ERROR));
    }

    @ParameterizedTest
    @MethodSource
    void exceptionIsMappedToItsProblem(Throwable thrown, ProblemType expected) {
        Response response = answer(thrown);

        JsonNode body = body(response);
        assertThat(response.getStatus()).isEqualTo(expected.status());
        assertThat(response.getMediaType()).hasToString("application/problem+json");
        assertThat(body.path("type").asText()).isEqualTo(expected.uri());
        assertThat(body.path("title").asText()).isEqualTo(expected.title());
        assertThat(body.path("status").asInt()).isEqualTo(expected.status());
        assertThat(body.path("detail").asText()).isNotBlank();
        assertThat(description.violations("Problem", body)).isEmpty();
    }

    @Test
    void invalidMemberIsNamed() {
        JsonNode body = body(answer(new InvalidSubmissionException("limits.wallMillis", "must be positive")));

        assertThat(body.path("member").asText()).isEqualTo("limits.wallMillis");
        assertThat(body.path("detail").asText()).isEqualTo("'limits.wallMillis' must be positive");
    }

    @Test
    void unavailabilityHasARetryAfterHeader() {
        Response response = answer(new StoreUnavailableException("no answer", new IllegalStateException()));

        assertThat(response.getHeaderString("Retry-After")).isEqualTo("2");
        assertThat(body(response).toString()).doesNotContain("no answer");
    }

    @Test
    void requestThatMayBeStoredIsNotCalledRetryable() {
        Response response = answer(
                new CompletionException(new StoreUnavailableException("no answer", new IllegalStateException(), true)));

        JsonNode body = body(response);
        assertThat(response.getStatus()).isEqualTo(503);
        assertThat(response.getHeaderString("Retry-After")).isNull();
        assertThat(body.path("outcome").asText()).isEqualTo("unknown");
        assertThat(body.path("detail").asText()).contains("unknown").doesNotContain("try again", "no answer");
        assertThat(description.violations("Problem", body)).isEmpty();
    }

    @Test
    void executionThatMayBeStoredIsNamed() {
        ExecutionId id = new ExecutionId(new UUID(1, 1));

        Response response = answer(new ProblemException(OutcomeProblems.unknown(id)));

        JsonNode body = body(response);
        assertThat(response.getHeaderString("Retry-After")).isNull();
        assertThat(response.getLocation()).hasToString("/api/v1/executions/" + id);
        assertThat(body.path("outcome").asText()).isEqualTo("unknown");
        assertThat(body.path("id").asText()).isEqualTo(id.toString());
        assertThat(description.violations("Problem", body)).isEmpty();
    }

    @Test
    void batchThatIsStoredIsNamed() {
        BatchId id = new BatchId(new UUID(1, 2));

        Response response = answer(new ProblemException(OutcomeProblems.stored(id)));

        assertThat(response.getLocation()).hasToString("/api/v1/batches/" + id);
        assertThat(body(response).path("outcome").asText()).isEqualTo("stored");
        assertThat(description.violations("Problem", body(response))).isEmpty();
    }

    @Test
    void refusedMethodHasTheMethodsOfThePath() {
        Response response = answer(new NotAllowedException(
                Response.status(405).allow("POST", "GET", "OPTIONS", "HEAD").build()));

        assertThat(response.getStatus()).isEqualTo(405);
        assertThat(response.getHeaderString("Allow")).isEqualTo("GET, HEAD, OPTIONS, POST");
        assertThat(answer(new NotFoundException()).getHeaderString("Allow")).isNull();
    }

    @Test
    void internalErrorShowsOnlyItsIncidentNumber() {
        JsonNode body = withoutLog(() -> body(answer(new IllegalStateException("secret of the server"))));

        String incident = body.path("incident").asText();
        assertThat(UUID.fromString(incident)).hasToString(incident);
        assertThat(body.path("type").asText()).isEqualTo(ProblemType.INTERNAL_ERROR.uri());
        assertThat(body.path("detail").asText()).contains(incident);
        assertThat(body.toString()).doesNotContain("secret").doesNotContain("IllegalState");
        assertThat(description.violations("Problem", body)).isEmpty();
    }

    @Test
    void completionExceptionWithoutCauseIsAnInternalError() {
        JsonNode body = withoutLog(() -> body(answer(new CompletionException("alone", null))));

        assertThat(body.path("type").asText()).isEqualTo(ProblemType.INTERNAL_ERROR.uri());
    }

    @Test
    void instanceIsTheRequestedPath() {
        assertThat(body(answer(new NotFoundException())).path("instance").asText())
                .isEqualTo("/api/v1/executions/17");
    }

    private static Response answer(Throwable thrown) {
        ProblemMapper mapper = new ProblemMapper();
        mapper.uri = new FakeUriInfo("executions/17");
        return mapper.toResponse(thrown);
    }

    private static JsonNode body(Response response) {
        return ApiDescription.parse((byte[]) response.getEntity());
    }

    /** Turns the log off during {@code action}, to keep stack traces out of the test output. */
    private static JsonNode withoutLog(Supplier<JsonNode> action) {
        Logger log = Logger.getLogger(ProblemMapper.class.getName());
        log.setLevel(Level.OFF);
        try {
            return action.get();
        } finally {
            log.setLevel(null);
        }
    }
}
