package org.sallyport.web.openapi;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import org.sallyport.web.ProblemWriter;

/**
 * {@code /openapi}: the OpenAPI document, as YAML or, for a client that prefers it, as JSON. Like every other endpoint,
 * it requires authentication.
 */
@WebServlet(name = "openapi", urlPatterns = "/openapi", asyncSupported = true)
public class OpenApiServlet extends HttpServlet {
    private static final long serialVersionUID = 1;
    private static final String YAML = "application/yaml";
    private static final String JSON = "application/json";

    /** Read when the container creates the servlet, at the first request. */
    private final transient OpenApiDocument document = OpenApiDocument.read();

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (ProblemWriter.refuseUnlessRead(request, response)) {
            return;
        }
        boolean head = request.getMethod().equals("HEAD");
        response.setHeader("Vary", "Accept");
        boolean json =
                AcceptHeader.of(Collections.list(request.getHeaders("Accept"))).prefers(JSON, YAML);
        write(response, json ? JSON : YAML, json ? document.json() : document.yaml(), head);
    }

    private static void write(HttpServletResponse response, String type, byte[] body, boolean head) throws IOException {
        response.setContentType(type);
        response.setContentLength(body.length);
        if (!head) {
            response.getOutputStream().write(body);
        }
    }
}
