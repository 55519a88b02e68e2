package org.sallyport.web.login;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.auth.ConsoleSessions;
import org.sallyport.execution.StoreUnavailableException;
import org.sallyport.identity.token.LoginException;
import org.sallyport.identity.token.LoginFailure;
import org.sallyport.identity.token.OidcLoginService;
import org.sallyport.web.AllowHeader;
import org.sallyport.web.ControlCharacterEscaper;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemException;
import org.sallyport.web.ProblemType;
import org.sallyport.web.ProblemWriter;
import org.sallyport.web.audit.AuditRecorder;
import org.sallyport.web.security.BearerTokenAuthenticator;
import org.sallyport.web.security.SameOriginCheck;
import org.sallyport.web.security.SessionCookie;

/**
 * {@code /console/oidc/login} redirects a user to the OpenID provider. {@code /console/oidc/callback} receives the
 * user's return and opens the same session that a key opens. People visit both, so errors are HTML pages.
 */
@WebServlet(
        name = "login",
        urlPatterns = {LoginServlet.LOGIN_PATH, LoginServlet.CALLBACK_PATH},
        asyncSupported = true)
public class LoginServlet extends HttpServlet {
    static final String LOGIN_PATH = "/console/oidc/login";
    static final String CALLBACK_PATH = "/console/oidc/callback";

    private static final long serialVersionUID = 1;
    private static final String AUDIT_ACTION = "session.open";
    private static final int MAX_NAME_LENGTH = 100;

    @Inject
    transient OidcLoginService logins;

    @Inject
    transient ConsoleSessions sessions;

    @Inject
    transient AuditRecorder auditRecorder;

    @Inject
    transient BearerTokenAuthenticator tokenAuthenticator;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!logins.isEnabled()) {
            ProblemWriter.write(response, Problem.ofStatus(HttpServletResponse.SC_NOT_FOUND), null);
        } else if (!request.getMethod().equals("GET")) {
            ProblemWriter.write(response, AllowHeader.refuse(response, "GET"), null);
        } else if (request.getRequestURI().equals(LOGIN_PATH)) {
            startLogin(request, response);
        } else {
            finishLogin(request, response);
        }
    }

    private void startLogin(HttpServletRequest request, HttpServletResponse response) throws IOException {
        try {
            // A page of another origin must not start a login.
            SameOriginCheck.check(request);
            OidcLoginService.LoginStarted begun =
                    logins.startLogin(singleParameter(request, "returnTo").orElse(""));
            response.setHeader("Set-Cookie", LoginCookie.set(begun.encodedState(), logins.usesTls()));
            redirect(response, begun.authorizationUri().toString());
        } catch (ProblemException e) {
            redirect(response, "/console");
        } catch (LoginException e) {
            fail(request, response, e);
        }
    }

    private void finishLogin(HttpServletRequest request, HttpServletResponse response) throws IOException {
        // The cookie is used up, whether or not the login succeeds.
        response.setHeader("Set-Cookie", LoginCookie.clear(logins.usesTls()));
        try {
            OidcLoginService.LoggedInUser person = logins.finishLogin(
                    LoginCookie.read(request, logins.usesTls()),
                    new OidcLoginService.AuthorizationResponse(
                            singleParameter(request, "state"),
                            singleParameter(request, "code"),
                            singleParameter(request, "error"),
                            singleParameter(request, "iss")));
            Optional<ConsoleSessions.OpenedSession> opened = sessions.open(person.caller(), displayName(person.name()));
            if (opened.isEmpty()) {
                auditRecorder.auditRejection(request, AUDIT_ACTION, LoginFailure.REFUSED.status());
                sendErrorPage(response, LoginFailure.REFUSED);
                return;
            }
            auditRecorder.auditConsoleAction(request, opened.get().session().caller(), AUDIT_ACTION);
            response.addHeader(
                    "Set-Cookie",
                    SessionCookie.set(
                            logins.usesTls(), opened.get().token(), opened.get().lifetime()));
            // The page there requests the session itself: as a request of this site, so that the browser sends the
            // strict cookie.
            redirect(response, person.returnTo());
        } catch (LoginException e) {
            fail(request, response, e);
        } catch (StoreUnavailableException e) {
            response.setHeader("Retry-After", "2");
            LoginErrorPage.send(
                    response,
                    ProblemType.UNAVAILABLE.status(),
                    "unavailable",
                    "The database does not answer. Try again shortly.");
        }
    }

    private void fail(HttpServletRequest request, HttpServletResponse response, LoginException e) throws IOException {
        e.rejection().ifPresent(refused -> tokenAuthenticator.recordRejection(request, refused));
        auditRecorder.auditRejection(request, AUDIT_ACTION, e.failure().status());
        if (e.failure() == LoginFailure.BUSY) {
            response.setHeader("Retry-After", "2");
        }
        sendErrorPage(response, e.failure());
    }

    private static void sendErrorPage(HttpServletResponse response, LoginFailure failure) throws IOException {
        LoginErrorPage.send(response, failure.status(), failure.code(), failure.message());
    }

    /** The parameter; empty if it occurs twice, because different readers might take different values. */
    private static Optional<String> singleParameter(HttpServletRequest request, String name) {
        String @Nullable [] values = request.getParameterValues(name);
        return values == null || values.length != 1 ? Optional.empty() : Optional.of(values[0]);
    }

    /** The name on one line, shortened to the maximum length of a name. */
    private static String displayName(String name) {
        String line = ControlCharacterEscaper.escape(name.strip());
        return line.codePointCount(0, line.length()) <= MAX_NAME_LENGTH
                ? line
                : line.substring(0, line.offsetByCodePoints(0, MAX_NAME_LENGTH)) + "…";
    }

    /** Sets the address unchanged: the container would add the host of the request to it. */
    private static void redirect(HttpServletResponse response, String address) {
        response.setStatus(HttpServletResponse.SC_SEE_OTHER);
        response.setHeader("Location", address);
    }
}
