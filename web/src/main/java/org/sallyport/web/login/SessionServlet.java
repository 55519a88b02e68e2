package org.sallyport.web.login;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.ApiKeyService;
import org.sallyport.auth.ConsoleSessions;
import org.sallyport.configuration.Configuration;
import org.sallyport.configuration.Settings;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.identity.token.OidcLoginService;
import org.sallyport.web.AllowHeader;
import org.sallyport.web.JsonUtf8Writer;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.ProblemWriter;
import org.sallyport.web.api.BoundedJson;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.security.FailedLoginLimiter;
import org.sallyport.web.security.SameOriginCheck;
import org.sallyport.web.security.SessionCookie;

/**
 * {@code /console/session}: {@code POST} exchanges a key for a session, {@code GET} shows the caller of the session,
 * {@code DELETE} ends it. For browsers only; other clients send their key.
 */
@WebServlet(name = "session", urlPatterns = SessionServlet.PATH, asyncSupported = true)
public class SessionServlet extends HttpServlet {
    static final String PATH = "/console/session";

    private static final long serialVersionUID = 1;
    private static final int MAX_BODY_BYTES = 4_096;

    @Inject
    transient ConsoleSessions sessions;

    @Inject
    transient AuditRecorder auditRecorder;

    @Inject
    transient ApiKeyService keys;

    @Inject
    transient FailedLoginLimiter loginLimiter;

    @Inject
    transient OidcLoginService logins;

    @Inject
    transient Configuration configuration;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            SameOriginCheck.check(request);
            switch (request.getMethod()) {
                case "GET" -> showCurrent(request, response);
                case "POST" -> open(request, response);
                case "DELETE" -> close(request, response);
                default -> throw new ProblemException(AllowHeader.refuse(response, "GET", "POST", "DELETE"));
            }
        } catch (ProblemException e) {
            if (e.problem().type() == ProblemType.RATE_LIMITED && !response.containsHeader("Retry-After")) {
                response.setHeader("Retry-After", "2");
            }
            ProblemWriter.write(response, e.problem(), PATH);
        } catch (StoreUnavailableException e) {
            response.setHeader("Retry-After", "2");
            Problem problem = Problem.of(
                    ProblemType.UNAVAILABLE, "the database does not answer; nothing was changed, try again shortly");
            ProblemWriter.write(response, problem, PATH);
        }
    }

    private void showCurrent(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Optional<ConsoleSessions.ConsoleSession> session =
                SessionCookie.readToken(request).flatMap(sessions::find);
        // Not 401, which every browser would report as an error of the page.
        show(response, session);
    }

    private void open(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String key = readKey(request);
        Optional<ConsoleSessions.OpenedSession> right = sessions.open(key);
        if (right.isEmpty()) {
            rejectKey(request, response, key);
        }
        ConsoleSessions.OpenedSession opened = right.orElseThrow();
        auditRecorder.auditConsoleAction(request, opened.session().caller(), "session.open");
        SessionCookie.readToken(request).ifPresent(sessions::close);
        response.setHeader("Set-Cookie", SessionCookie.set(request, opened.token(), ConsoleSessions.MAX_LIFETIME));
        show(response, Optional.of(opened.session()));
    }

    private void rejectKey(HttpServletRequest request, HttpServletResponse response, String key) {
        Optional<Duration> pause = keys.isStoredKey(key) ? Optional.empty() : loginLimiter.recordFailure(request, key);
        if (pause.isPresent()) {
            auditRecorder.auditRejection(request, "session.open", ProblemType.RATE_LIMITED.status());
            response.setHeader("Retry-After", Long.toString(pause.get().toSeconds() + 1));
            throw new ProblemException(
                    ProblemType.RATE_LIMITED, "too many wrong keys; a valid key is accepted at any time");
        }
        auditRecorder.auditRejection(request, "session.open", ProblemType.UNAUTHORIZED.status());
        throw new ProblemException(ProblemType.UNAUTHORIZED, "this key is not valid; it may be deleted or expired");
    }

    private void close(HttpServletRequest request, HttpServletResponse response) {
        SessionCookie.readToken(request)
                .ifPresent(token -> sessions.find(token).ifPresent(session -> {
                    SameOriginCheck.check(request, session);
                    auditRecorder.auditConsoleAction(request, session.caller(), "session.close");
                    sessions.close(token);
                }));
        response.setHeader("Set-Cookie", SessionCookie.clear(request));
        response.setStatus(HttpServletResponse.SC_NO_CONTENT);
    }

    private static String readKey(HttpServletRequest request) throws IOException {
        @Nullable String type = request.getContentType();
        if (type == null || !type.split(";", 2)[0].strip().equalsIgnoreCase("application/json")) {
            throw new ProblemException(ProblemType.UNSUPPORTED_MEDIA_TYPE, "send 'Content-Type: application/json'");
        }
        byte[] body = request.getInputStream().readNBytes(MAX_BODY_BYTES + 1);
        if (body.length > MAX_BODY_BYTES) {
            throw new ProblemException(ProblemType.PAYLOAD_TOO_LARGE, "send an object with the member 'key' only");
        }
        try {
            JsonNode json = BoundedJson.parseTree(body);
            if (json.path("key").isTextual()) {
                return json.path("key").asText().strip();
            }
        } catch (ProblemException e) {
            // Reported below without the reason, which may repeat a part of the key.
        }
        throw new ProblemException(ProblemType.VALIDATION, "send an object with the member 'key'");
    }

    private void show(HttpServletResponse response, Optional<ConsoleSessions.ConsoleSession> session)
            throws IOException {
        ObjectNode json = JsonNodeFactory.instance.objectNode().put("signedIn", session.isPresent());
        if (session.isEmpty() && logins.isEnabled()) {
            json.put("signOn", LoginServlet.LOGIN_PATH);
        }
        session.ifPresent(there -> {
            json.put("name", there.displayName());
            json.put("keyId", there.caller().id());
            json.put("tenant", there.caller().tenant());
            json.put("operates", there.caller().tenant().equals(configuration.get(Settings.OPERATOR_TENANT)));
            there.caller().roles().stream()
                    .map(role -> role.name().toLowerCase(Locale.ROOT))
                    .sorted()
                    .forEach(json.withArray("roles")::add);
            json.put("csrf", there.csrfToken());
            json.put("expiresAt", there.expiresAt().toString());
            there.caller()
                    .token()
                    .flatMap(token -> logins.logoutUri())
                    .ifPresent(end -> json.put("goodbye", end.toString()));
        });
        write(response, HttpServletResponse.SC_OK, "application/json", JsonUtf8Writer.bytes(json));
    }

    private static void write(HttpServletResponse response, int status, String type, byte[] body) throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
