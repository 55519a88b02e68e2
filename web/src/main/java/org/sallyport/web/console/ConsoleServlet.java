package org.sallyport.web.console;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.sallyport.web.Problem;
import org.sallyport.web.ProblemWriter;

/**
 * {@code /console}: the same page at every address below it, and its files under {@code /console/files/<edition>/}.
 * Requires no authentication, because the files hold no data; the page reads its data from the API with the user's
 * session.
 */
@WebServlet(
        name = "console",
        urlPatterns = {"/console", "/console/*"},
        asyncSupported = true)
public class ConsoleServlet extends HttpServlet {
    /** Allows no foreign origins, no inline code and no frames. */
    static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors "
                    + "'none'";

    private static final long serialVersionUID = 1;
    private static final String ROOT_PATH = "/console/";
    private static final String FILES_PATH = "/console/files/";

    private transient @Nullable ConsoleFiles files;

    @Override
    public void init() {
        files = ConsoleFiles.read(getServletContext());
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        answer(request, response, files == null ? ConsoleFiles.read(getServletContext()) : files);
    }

    static void answer(HttpServletRequest request, HttpServletResponse response, ConsoleFiles files)
            throws IOException {
        response.setHeader("Content-Security-Policy", CONTENT_SECURITY_POLICY);
        if (ProblemWriter.refuseUnlessRead(request, response)) {
            return;
        }
        boolean head = request.getMethod().equals("HEAD");
        String path = request.getRequestURI();
        if (!path.startsWith(FILES_PATH)) {
            if (looksLikeFile(path)) {
                ProblemWriter.write(response, Problem.ofStatus(HttpServletResponse.SC_NOT_FOUND), null);
                return;
            }
            // Never cached, because it contains the edition in the addresses of the other files.
            send(request, response, files.page(), "no-cache", head);
            return;
        }
        String rest = path.substring(FILES_PATH.length());
        int slash = rest.indexOf('/');
        Optional<ConsoleFile> file = slash < 0 ? Optional.empty() : files.find(rest.substring(slash + 1));
        if (file.isEmpty()) {
            ProblemWriter.write(response, Problem.ofStatus(HttpServletResponse.SC_NOT_FOUND), null);
            return;
        }
        boolean present = rest.substring(0, slash).equals(files.edition());
        send(request, response, file.get(), present ? "public, max-age=31536000, immutable" : "no-store", head);
    }

    /**
     * Whether the path is one name with a dot, which no page has. Deeper paths name the object that a page shows and
     * may contain a dot.
     */
    private static boolean looksLikeFile(String path) {
        String first = path.substring(Math.min(path.length(), ROOT_PATH.length()));
        return first.indexOf('/') < 0 && first.contains(".");
    }

    private static void send(
            HttpServletRequest request, HttpServletResponse response, ConsoleFile file, String keeping, boolean head)
            throws IOException {
        boolean packed = acceptsGzip(request.getHeader("Accept-Encoding"));
        String tag = '"' + file.hash() + (packed ? "-gzip" : "") + '"';
        response.setHeader("Cache-Control", keeping);
        response.setHeader("Vary", "Accept-Encoding");
        response.setHeader("ETag", tag);
        if (tag.equals(request.getHeader("If-None-Match"))) {
            response.setStatus(HttpServletResponse.SC_NOT_MODIFIED);
            return;
        }
        byte[] body = packed ? file.gzipped() : file.body();
        if (packed) {
            response.setHeader("Content-Encoding", "gzip");
        }
        response.setContentType(file.type());
        response.setContentLength(body.length);
        if (!head) {
            response.getOutputStream().write(body);
        }
    }

    private static boolean acceptsGzip(@Nullable String encodings) {
        return encodings != null
                && encodings.contains("gzip")
                && !encodings.matches(".*gzip\\s*;\\s*q=0(\\.0*)?(,.*)?");
    }
}
