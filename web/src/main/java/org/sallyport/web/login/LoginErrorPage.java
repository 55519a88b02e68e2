package org.sallyport.web.login;

import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * The page for a person whose login failed: the error code, its meaning and where to continue. Contains only texts of
 * this service, and none from the provider or the request.
 */
final class LoginErrorPage {
    private static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none';" + " frame-ancestors 'none'";
    /** The style sheets are the same in any edition. */
    private static final String STYLES_PATH = "/console/files/any/css/";

    private LoginErrorPage() {}

    /** Sends the page. */
    static void send(HttpServletResponse response, int status, String code, String says) throws IOException {
        String page = """
                <!doctype html>
                <html lang="en">
                <head>
                <meta charset="utf-8">
                <meta name="viewport" content="width=device-width, initial-scale=1">
                <meta name="color-scheme" content="light dark">
                <title>Not logged in · Sallyport</title>
                <link rel="stylesheet" href="%1$sbase.css">
                <link rel="stylesheet" href="%1$scomponents.css">
                <link rel="stylesheet" href="%1$spages.css">
                </head>
                <body>
                <main class="alone"><div class="login">
                <h1>Not logged in</h1>
                <p class="lead" role="alert">%2$s</p>
                <p><a class="button primary" href="/console">Go to the login page</a></p>
                <p class="dim small-text"><code>%3$s</code></p>
                </div></main>
                </body>
                </html>
                """.formatted(STYLES_PATH, says, code);
        byte[] body = page.getBytes(StandardCharsets.UTF_8);
        response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
        response.setStatus(status);
        response.setContentType("text/html; charset=utf-8");
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    }
}
