package org.sallyport.web.session;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.access.Sessions;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.token.LoginException;
import org.sallyport.token.LoginFailure;
import org.sallyport.token.Logins;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.VisibleText;
import org.sallyport.web.audit.Deeds;
import org.sallyport.web.security.SameOrigin;
import org.sallyport.web.security.SessionCookie;
import org.sallyport.web.security.TokenDoor;

/**
 * {@code /console/oidc/login} sends somebody to the provider, {@code /console/oidc/callback} is where he comes back, and gets the
 * same session that a key gets. Both are visited by people, so what goes wrong is a page.
 */
@WebServlet(
        name = "login",
        urlPatterns = {LoginServlet.BEGIN, LoginServlet.CALLBACK},
        asyncSupported = true)
public class LoginServlet extends HttpServlet {
    static final String BEGIN = "/console/oidc/login";
    static final String CALLBACK = "/console/oidc/callback";

    private static final long serialVersionUID = 1;
    private static final String ACTION = "session.open";
    private static final int LONGEST_NAME = 100;

    @Inject
    transient Logins logins;

    @Inject
    transient Sessions sessions;

    @Inject
    transient Deeds deeds;

    @Inject
    transient TokenDoor tokens;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!logins.areOffered()) {
            problem(response, Problem.ofStatus(HttpServletResponse.SC_NOT_FOUND));
        } else if (!request.getMethod().equals("GET")) {
            response.setHeader("Allow", "GET");
            problem(response, Problem.of(ProblemType.METHOD_NOT_ALLOWED, "this path takes GET only"));
        } else if (request.getRequestURI().equals(BEGIN)) {
            begin(request, response);
        } else {
            finish(request, response);
        }
    }

    private void begin(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            // Nobody is logged in because a page of somebody else wants it.
            SameOrigin.check(request);
            Logins.Begun begun = logins.begin(once(request, "returnTo").orElse(""));
            response.setHeader("Set-Cookie", LoginCookie.set(begun.ticket(), logins.areOverTls()));
            go(response, begun.address().toString());
        } catch (ProblemException e) {
            go(response, "/console");
        } catch (LoginException e) {
            fail(request, response, e);
        }
    }

    private void finish(HttpServletRequest request, HttpServletResponse response) throws IOException {
        // Whatever comes of it, it is used.
        response.setHeader("Set-Cookie", LoginCookie.clear(logins.areOverTls()));
        try {
            Logins.Person person = logins.finish(
                    LoginCookie.of(request, logins.areOverTls()),
                    new Logins.Returned(
                            once(request, "state"),
                            once(request, "code"),
                            once(request, "error"),
                            once(request, "iss")));
            Optional<Sessions.Opened> opened = sessions.open(person.caller(), shown(person.name()));
            if (opened.isEmpty()) {
                deeds.turnedAway(request, ACTION, LoginFailure.REFUSED.status());
                send(response, LoginFailure.REFUSED);
                return;
            }
            deeds.atConsole(request, opened.get().session().caller(), ACTION);
            response.addHeader(
                    "Set-Cookie",
                    SessionCookie.set(
                            logins.areOverTls(),
                            opened.get().token(),
                            opened.get().lasting()));
            // The page there asks for the session by itself: as one of this site, so that the strict cookie is sent.
            go(response, person.returnTo());
        } catch (LoginException e) {
            fail(request, response, e);
        } catch (StoreUnavailableException e) {
            response.setHeader("Retry-After", "2");
            FailurePage.send(
                    response,
                    ProblemType.UNAVAILABLE.status(),
                    "unavailable",
                    "The database does not answer. Try again shortly.");
        }
    }

    private void fail(HttpServletRequest request, HttpServletResponse response, LoginException e) throws IOException {
        e.refused().ifPresent(refused -> tokens.tell(request, refused));
        deeds.turnedAway(request, ACTION, e.failure().status());
        if (e.failure() == LoginFailure.BUSY) {
            response.setHeader("Retry-After", "2");
        }
        send(response, e.failure());
    }

    private static void send(HttpServletResponse response, LoginFailure failure) throws IOException {
        FailurePage.send(response, failure.status(), failure.code(), failure.says());
    }

    private static void problem(HttpServletResponse response, Problem problem) throws IOException {
        byte[] body = problem.body(null);
        response.setStatus(problem.type().status());
        response.setContentType(Problem.MEDIA_TYPE);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }

    /** What is there twice is not there: each reader might take another. */
    private static Optional<String> once(HttpServletRequest request, String name) {
        String @Nullable [] values = request.getParameterValues(name);
        return values == null || values.length != 1 ? Optional.empty() : Optional.of(values[0]);
    }

    /** On one line, and no longer than a name. */
    private static String shown(String name) {
        String line = VisibleText.line(name.strip());
        return line.codePointCount(0, line.length()) <= LONGEST_NAME
                ? line
                : line.substring(0, line.offsetByCodePoints(0, LONGEST_NAME)) + "…";
    }

    /** As it is: the container would make another address of it, with the host that the request says. */
    private static void go(HttpServletResponse response, String address) {
        response.setStatus(HttpServletResponse.SC_SEE_OTHER);
        response.setHeader("Location", address);
    }
}
