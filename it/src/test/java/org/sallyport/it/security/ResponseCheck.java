package org.sallyport.it.security;

import java.net.http.HttpRequest;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;

/** Sends the requests of an attack at the same time, and checks their responses. */
final class ResponseCheck {
    static final String CONTAINED = "contained";
    private static final int MAX_TEXT_CHARS = 2_000;

    private ResponseCheck() {}

    /** Sends equal requests, each built by {@code request}, at the same time. */
    static List<RestResponse> sendTogether(RestClient client, int count, Supplier<HttpRequest.Builder> request) {
        List<CompletableFuture<RestResponse>> answers = IntStream.range(0, count)
                .mapToObj(number -> client.sendAsync(request.get()))
                .toList();
        return answers.stream().map(CompletableFuture::join).toList();
    }

    /** Status and problem type of a response, such as {@code 413 payload-too-large}. */
    static String outcome(RestResponse answer) {
        return (answer.status() + " " + answer.problemType()).strip();
    }

    /**
     * Returns {@code contained} if each outcome is expected, else the other outcomes.
     *
     * @param seen all text that the caller saw
     */
    static AttackResult checkOutcomes(List<String> outcomes, Set<String> expected, String seen) {
        List<String> others = outcomes.stream()
                .filter(outcome -> !expected.contains(outcome))
                .distinct()
                .toList();
        return AttackResult.of(others.isEmpty() ? CONTAINED : "answered " + others, seen);
    }

    /** Like {@link #checkOutcomes}, for refusals, whose texts must be short. */
    static AttackResult checkRefusals(List<RestResponse> answers, Set<String> expected) {
        String seen = answers.stream().map(RestResponse::text).collect(Collectors.joining("\n"));
        return answers.stream().anyMatch(answer -> answer.text().length() > MAX_TEXT_CHARS)
                ? AttackResult.of("a long answer", seen)
                : checkOutcomes(answers.stream().map(ResponseCheck::outcome).toList(), expected, seen);
    }

    /** Like {@link #checkOutcomes}, for responses that may be long; only the texts of problems are shown. */
    static AttackResult checkResponses(List<RestResponse> answers, Set<String> expected) {
        return checkOutcomes(
                answers.stream().map(ResponseCheck::outcome).toList(),
                expected,
                answers.stream()
                        .filter(answer -> !answer.problemType().isEmpty())
                        .map(RestResponse::text)
                        .collect(Collectors.joining("\n")));
    }
}
