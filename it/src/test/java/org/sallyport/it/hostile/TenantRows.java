package org.sallyport.it.hostile;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.sallyport.it.harness.Answer;
import org.sallyport.it.harness.Api;
import org.sallyport.it.harness.Json;
import org.sallyport.it.harness.Submission;

/** Rows on what a script leaves behind, and on who may have it. */
final class TenantRows {
    private static final List<String> NAMES = List.of(
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

    private TenantRows() {}

    static List<Row> all() {
        Expected contained = Expected.outcome("contained");
        return List.of(
                Row.of("D09", "names of artifacts that lead elsewhere", contained, TenantRows::artifacts),
                Row.of("X150", "events of another tenant", contained, TenantRows::events),
                Row.of("X151", "another tenant's executions and artifacts", contained, TenantRows::foreign));
    }

    /** What is downloaded is the content under that very name, as an attachment, whatever type the script gave it. */
    private static Sighting artifacts(Arena arena) {
        ArrayNode names = Json.array();
        NAMES.forEach(names::add);
        Sighting ended =
                arena.run(Submission.javascript("for (const name of args) await artifacts.write(name, 'of ' + name,"
                                + " { contentType: 'text/html' }); try { await artifacts.write('typed', 'x', { contentType:"
                                + " 'text/html\\r\\nX-Evil: y' }); } catch {} return (await artifacts.list()).length;")
                        .args(Json.write(names)));
        if (!ended.outcome().equals("COMPLETED")) {
            return ended;
        }
        String base = Api.EXECUTIONS + "/" + ended.whole().path("id").asText() + "/artifacts";
        StringBuilder seen = new StringBuilder(arena.api().get(base).expect(200).text());
        for (String name : NAMES) {
            Answer answer = arena.api()
                    .get(base + "?name=" + URLEncoder.encode(name, StandardCharsets.UTF_8))
                    .expect(200);
            if (!answer.text().equals("of " + name)) {
                throw new AssertionError(name + " holds " + answer);
            }
            seen.append(careful(answer));
        }
        Answer typed = arena.api().get(base + "?name=typed");
        seen.append(typed.status() == 200 ? careful(typed) : typed.text());
        seen.append(arena.api().get(base + "/..%2f..%2f..%2fadmin.key").text());
        return Sighting.of("contained", seen.toString());
    }

    private static String careful(Answer answer) {
        if (!answer.header("X-Content-Type-Options").equals("nosniff")
                || !answer.header("Content-Disposition").startsWith("attachment")
                || !answer.header("X-Evil").isEmpty()) {
            throw new AssertionError("served as " + answer.headers().map());
        }
        return answer.headers().map().toString();
    }

    /** Neither what we emit is heard there, nor what they emit here. */
    private static Sighting events(Arena arena) {
        String listener = "const heard = Promise.race([events.next('X150'), events.next('X150-over')]);"
                + " await sleep(1); console.log('begun'); return await heard;";
        String theirs = arena.other().submit(Submission.javascript(listener));
        String ours = arena.api().submit(Submission.javascript(listener));
        arena.other().awaitOutput(theirs, "begun");
        arena.api().awaitOutput(ours, "begun");
        arena.run(Submission.javascript("await sleep(200); await events.emit('X150', 'ours');"));
        Sighting heardHere = arena.sighting(ours);
        arena.other().run(Submission.javascript("await events.emit('X150-over', 'theirs');"));
        JsonNode heardThere = arena.other().awaitEnd(theirs);
        if (!heardHere.result().path("data").asText().equals("ours")) {
            throw new AssertionError("not even heard here: " + heardHere.seen());
        }
        return Sighting.of(
                heardThere.path("result").path("data").asText().equals("theirs")
                        ? "contained"
                        : "heard there: " + heardThere,
                heardHere.seen());
    }

    private static Sighting foreign(Arena arena) {
        StringBuilder seen = new StringBuilder();
        for (String id : arena.other().ids()) {
            for (String part :
                    List.of("", "/code", "/trace", "/output", "/artifacts", "/artifacts?name=x", "?wait=1")) {
                Answer answer = arena.api().get(Api.EXECUTIONS + "/" + id + part);
                if (answer.status() != 404) {
                    throw new AssertionError(part + " of another tenant's execution: " + answer);
                }
                seen.append(answer.text());
            }
            seen.append(arena.api().cancel(id).expect(404).text());
        }
        arena.api().ids().forEach(seen::append);
        return Sighting.of("contained", seen.toString());
    }
}
