package org.sallyport.it.security;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.sallyport.it.harness.RestClient;
import org.sallyport.it.harness.RestResponse;
import org.sallyport.it.harness.SubmissionBody;
import org.sallyport.it.harness.TestJson;

/** Cases about data that a script stores, and access to it. */
final class TenantAttacks {
    private static final List<String> ARTIFACT_NAMES = List.of(
            "../../x",
            "C:\\x",
            "CON",
            "a\u0000b",
            ".",
            "..",
            "/etc/passwd",
            "é😀\r\nX-Evil: y",
            "\"; filename=evil.exe",
            "<svg onload=1>.html",
            "x".repeat(200));

    private TenantAttacks() {}

    static List<AttackCase> all() {
        AttackExpectation contained = AttackExpectation.outcome("contained");
        return List.of(
                AttackCase.of("D09", "names of artifacts that lead elsewhere", contained, TenantAttacks::artifactNames),
                AttackCase.of("X150", "events of another tenant", contained, TenantAttacks::foreignEvents),
                AttackCase.of(
                        "X151",
                        "another tenant's executions and artifacts",
                        contained,
                        TenantAttacks::foreignExecutions));
    }

    /**
     * A download has the stored content and name and is an attachment, regardless of the type that the script gave it.
     */
    private static AttackResult artifactNames(SecurityTestServer arena) {
        ArrayNode names = TestJson.array();
        ARTIFACT_NAMES.forEach(names::add);
        AttackResult ended =
                arena.run(SubmissionBody.javascript("for (const name of args) await artifacts.write(name, 'of ' + name,"
                                + " { contentType: 'text/html' }); try { await artifacts.write('typed', 'x', { "
                                + "contentType:"
                                + " 'text/html\\r\\nX-Evil: y' }); } catch {} return (await artifacts.list()).length;")
                        .args(TestJson.write(names)));
        if (!ended.outcome().equals("COMPLETED")) {
            return ended;
        }
        String base = RestClient.EXECUTIONS + "/" + ended.execution().path("id").asText() + "/artifacts";
        StringBuilder seen =
                new StringBuilder(arena.api().get(base).expectStatus(200).text());
        for (String name : ARTIFACT_NAMES) {
            RestResponse answer = arena.api()
                    .get(base + "?name=" + URLEncoder.encode(name, StandardCharsets.UTF_8))
                    .expectStatus(200);
            if (!answer.text().equals("of " + name)) {
                throw new AssertionError(name + " holds " + answer);
            }
            seen.append(requireSafeHeaders(answer));
        }
        RestResponse typed = arena.api().get(base + "?name=typed");
        seen.append(typed.status() == 200 ? requireSafeHeaders(typed) : typed.text());
        seen.append(arena.api().get(base + "/..%2f..%2f..%2fadmin.key").text());
        return AttackResult.of("contained", seen.toString());
    }

    private static String requireSafeHeaders(RestResponse answer) {
        if (!answer.header("X-Content-Type-Options").equals("nosniff")
                || !answer.header("Content-Disposition").startsWith("attachment")
                || !answer.header("X-Evil").isEmpty()) {
            throw new AssertionError("served as " + answer.headers().map());
        }
        return answer.headers().map().toString();
    }

    /** Events must not reach another tenant, in either direction. */
    private static AttackResult foreignEvents(SecurityTestServer arena) {
        String listener = "const heard = Promise.race([events.next('X150'), events.next('X150-over')]);"
                + " await sleep(1); console.log('begun'); return await heard;";
        String theirs = arena.otherApi().submit(SubmissionBody.javascript(listener));
        String ours = arena.api().submit(SubmissionBody.javascript(listener));
        arena.otherApi().awaitOutput(theirs, "begun");
        arena.api().awaitOutput(ours, "begun");
        arena.run(SubmissionBody.javascript("await sleep(200); await events.emit('X150', 'ours');"));
        AttackResult heardHere = arena.awaitResult(ours);
        arena.otherApi().run(SubmissionBody.javascript("await events.emit('X150-over', 'theirs');"));
        JsonNode heardThere = arena.otherApi().awaitEnd(theirs);
        if (!heardHere.result().path("data").asText().equals("ours")) {
            throw new AssertionError("not even heard here: " + heardHere.visibleText());
        }
        return AttackResult.of(
                heardThere.path("result").path("data").asText().equals("theirs")
                        ? "contained"
                        : "heard there: " + heardThere,
                heardHere.visibleText());
    }

    private static AttackResult foreignExecutions(SecurityTestServer arena) {
        StringBuilder seen = new StringBuilder();
        for (String id : arena.otherApi().listExecutionIds()) {
            for (String part : List.of(
                    "", "/code", "/trace", "/output", "/output/pieces", "/artifacts", "/artifacts?name=x", "?wait=1")) {
                RestResponse answer = arena.api().get(RestClient.EXECUTIONS + "/" + id + part);
                if (answer.status() != 404) {
                    throw new AssertionError(part + " of another tenant's execution: " + answer);
                }
                seen.append(answer.text());
            }
            seen.append(arena.api().cancel(id).expectStatus(404).text());
        }
        arena.api().listExecutionIds().forEach(seen::append);
        return AttackResult.of("contained", seen.toString());
    }
}
